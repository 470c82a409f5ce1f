// Пакетне множення матриць: C[p] = A[p] * B[p], p = 0 .. kilkist-1
// Усі матриці лежать підряд, кожна по рядках: A[p] - M x K, B[p] - K x N, C[p] - M x N.
// Пакети розподілено між blockIdx.z; якщо пакетів більше, ніж gridDim.z,
// блок бере наступний пакет через gridDim.z.
// M, N, K, kilkist >= 1 довільні.
#include <cuda_runtime.h>
#include <algorithm>

#define P 16          // бік плитки
#define MAKS_Z 8

struct Parametry {
    const double *A, *B;
    double *C;
    int M, N, K;
    int kilkist;
};

__global__ void paketneMnozhennya(Parametry p)
{
    __shared__ double a[P][P + 1];
    __shared__ double b[P][P + 1];

    const int x = threadIdx.x, y = threadIdx.y;
    const int ryadok = blockIdx.y * P + y;
    const int stovpec = blockIdx.x * P + x;

    double suma = 0.0;

    for (int paket = blockIdx.z; paket < p.kilkist; paket += gridDim.z) {
        const double *A = p.A + (size_t)paket * p.M * p.K;
        const double *B = p.B + (size_t)paket * p.K * p.N;
        double *C = p.C + (size_t)paket * p.M * p.N;

        for (int k0 = 0; k0 < p.K; k0 += P) {
            a[y][x] = (ryadok < p.M && k0 + x < p.K) ? A[(size_t)ryadok * p.K + k0 + x] : 0.0;
            b[y][x] = (k0 + y < p.K && stovpec < p.N) ? B[(size_t)(k0 + y) * p.N + stovpec] : 0.0;
            __syncthreads();
            for (int k = 0; k < P; ++k)
                suma += a[y][k] * b[k][x];
            __syncthreads();
        }

        if (ryadok < p.M && stovpec < p.N)
            C[(size_t)ryadok * p.N + stovpec] = suma;
    }
}

void zapusk(const Parametry &p)
{
    dim3 blok(P, P);
    dim3 sitka((p.N + P - 1) / P, (p.M + P - 1) / P, std::min(p.kilkist, MAKS_Z));
    paketneMnozhennya<<<sitka, blok>>>(p);
}
