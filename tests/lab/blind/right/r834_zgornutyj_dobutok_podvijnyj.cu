// Згорнутий добуток матриць (сума квадратів 2x2 добутку A*B)
// з подвійною буферизацією: поки рахуємо поточну плитку, наступна вже
// читається в регістри. Один бар'єр на крок.
//   A: 2m x k,  B: k x 2n,  C: m x n,  рядками; m, n, k від 1 до 500000
#include <cuda_runtime.h>

template <int P>
__global__ void __launch_bounds__(P* P)
zgornutyj(const float* __restrict__ A, const float* __restrict__ B,
          float* __restrict__ C, int m, int n, int k)
{
    __shared__ float ra[2][P][P];
    __shared__ float sb[2][P][P];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * P + ty;
    const int j = blockIdx.x * P + tx;

    const auto ryadky = [=](int k0) {          // A[2i][q] + A[2i+1][q]
        const int q = k0 + tx;
        if (i >= m || q >= k) return 0.f;
        const float* p = A + size_t(2 * i) * k + q;
        return p[0] + p[k];
    };
    const auto stovpci = [=](int k0) {         // B[q][2j] + B[q][2j+1]
        const int q = k0 + ty;
        if (j >= n || q >= k) return 0.f;
        const float* p = B + size_t(q) * (2 * n) + 2 * j;
        return p[0] + p[1];
    };

    int buf = 0;
    ra[buf][ty][tx] = ryadky(0);
    sb[buf][ty][tx] = stovpci(0);
    __syncthreads();

    float suma = 0.f;
    for (int k0 = 0; k0 < k; k0 += P) {
        const int dali = k0 + P;
        float na = 0.f, nb = 0.f;
        if (dali < k) {
            na = ryadky(dali);
            nb = stovpci(dali);
        }

#pragma unroll
        for (int q = 0; q < P; ++q)
            suma += ra[buf][ty][q] * sb[buf][q][tx];

        if (dali < k) {
            buf ^= 1;
            ra[buf][ty][tx] = na;
            sb[buf][ty][tx] = nb;
            __syncthreads();
        }
    }

    if (i < m && j < n)
        C[size_t(i) * n + j] = suma;
}

cudaError_t zapusk(const float* A, const float* B, float* C, int m, int n, int k,
                   cudaStream_t potik = 0)
{
    constexpr int P = 16;
    const dim3 blok(P, P);
    const dim3 sitka((n + P - 1) / P, (m + P - 1) / P);
    zgornutyj<P><<<sitka, blok, 0, potik>>>(A, B, C, m, n, k);
    return cudaGetLastError();
}
