// Opdracht 4b: C = A * B^T met een sjabloon (template) voor type en tegelmaat.
// A is M x K, B is N x K, C is M x N; alles rij voor rij.
#include <cstdio>
#include <cmath>
#include <vector>

template <typename T, int TS>
__global__ void maalTrans(const T *__restrict__ A, const T *__restrict__ B, T *__restrict__ C,
                          unsigned M, unsigned N, unsigned K)
{
    __shared__ T tegelA[TS][TS + 1];
    __shared__ T tegelB[TS][TS + 1];

    unsigned rijA = blockIdx.y * TS + threadIdx.y;   // rij van A en van C
    unsigned rijB = blockIdx.x * TS + threadIdx.y;   // rij van B (voor het laden)
    unsigned kolC = blockIdx.x * TS + threadIdx.x;   // kolom van C

    T som = T(0);
    for (unsigned k0 = 0; k0 < K; k0 += TS) {
        unsigned k = k0 + threadIdx.x;
        tegelA[threadIdx.y][threadIdx.x] = (rijA < M && k < K) ? A[rijA * K + k] : T(0);
        tegelB[threadIdx.y][threadIdx.x] = (rijB < N && k < K) ? B[rijB * K + k] : T(0);
        __syncthreads();

#pragma unroll
        for (int p = 0; p < TS; ++p)
            som += tegelA[threadIdx.y][p] * tegelB[threadIdx.x][p];

        __syncthreads();
    }
    if (rijA < M && kolC < N)
        C[rijA * N + kolC] = som;
}

template <typename T, int TS>
bool probeer(unsigned M, unsigned N, unsigned K)
{
    std::vector<T> a(M * K), b(N * K), c(M * N, T(-1));
    for (size_t i = 0; i < a.size(); ++i) a[i] = T((int)(i * 7 % 19) - 9);
    for (size_t i = 0; i < b.size(); ++i) b[i] = T((int)(i * 5 % 23) - 11);

    T *da, *db, *dc;
    cudaMalloc(&da, sizeof(T) * a.size());
    cudaMalloc(&db, sizeof(T) * b.size());
    cudaMalloc(&dc, sizeof(T) * c.size());
    cudaMemcpy(da, a.data(), sizeof(T) * a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), sizeof(T) * b.size(), cudaMemcpyHostToDevice);

    dim3 blok(TS, TS), rooster((N + TS - 1) / TS, (M + TS - 1) / TS);
    maalTrans<T, TS><<<rooster, blok>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, sizeof(T) * c.size(), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dc);

    for (unsigned i = 0; i < M; ++i)
        for (unsigned j = 0; j < N; ++j) {
            double s = 0;
            for (unsigned k = 0; k < K; ++k) s += (double)a[i * K + k] * (double)b[j * K + k];
            if (std::fabs(s - (double)c[i * N + j]) > 1e-6 * (1 + std::fabs(s))) return false;
        }
    return true;
}

int main()
{
    bool goed = probeer<double, 16>(33, 50, 41) && probeer<double, 8>(8, 9, 100)
             && probeer<double, 16>(1, 17, 1);
    printf("%s\n", goed ? "goed" : "fout");
    return goed ? 0 : 1;
}
