// Opdracht 7b - gereduceerd matrixproduct met tegels
//
//   C[i][j] = som van het vierkant (2i..2i+1, 2j..2j+1) van A*B
//
// Bij een oneven aantal rijen van A of kolommen van B telt de ontbrekende
// rij/kolom als nul. C heeft dus ceil(M/2) rijen en ceil(N/2) kolommen.
#include <cuda_runtime.h>

template <typename T, int TEGEL>
__global__ void __launch_bounds__(TEGEL * TEGEL)
gereduceerdProduct(const T* __restrict__ A, const T* __restrict__ B,
                                   T* __restrict__ C, int M, int N, int K)
{
    __shared__ T tegelA[TEGEL][TEGEL];
    __shared__ T tegelB[TEGEL][TEGEL + 1];

    const int rijen = (M + 1) / 2;
    const int kolommen = (N + 1) / 2;
    const int rij = blockIdx.y * TEGEL + threadIdx.y;
    const int kol = blockIdx.x * TEGEL + threadIdx.x;

    T som = T(0);
    for (int basis = 0; basis < K; basis += TEGEL) {
        // som van twee rijen van A
        T a = T(0);
        const int ka = basis + threadIdx.x;
        if (ka < K) {
            if (2 * rij < M)     a += A[(size_t)(2 * rij) * K + ka];
            if (2 * rij + 1 < M) a += A[(size_t)(2 * rij + 1) * K + ka];
        }
        tegelA[threadIdx.y][threadIdx.x] = a;

        // som van twee kolommen van B
        T b = T(0);
        const int kb = basis + threadIdx.y;
        if (kb < K) {
            const T* rijB = B + (size_t)kb * N;
            if (2 * kol < N)     b += rijB[2 * kol];
            if (2 * kol + 1 < N) b += rijB[2 * kol + 1];
        }
        tegelB[threadIdx.y][threadIdx.x] = b;

        __syncthreads();
#pragma unroll
        for (int t = 0; t < TEGEL; ++t)
            som += tegelA[threadIdx.y][t] * tegelB[t][threadIdx.x];
        __syncthreads();
    }

    if (rij < rijen && kol < kolommen)
        C[(size_t)rij * kolommen + kol] = som;
}

template <typename T>
static cudaError_t start(const T* A, const T* B, T* C, int M, int N, int K)
{
    constexpr int TEGEL = sizeof(T) == 8 ? 16 : 32;
    const int rijen = (M + 1) / 2, kolommen = (N + 1) / 2;
    const dim3 rooster((kolommen + TEGEL - 1) / TEGEL, (rijen + TEGEL - 1) / TEGEL);
    gereduceerdProduct<T, TEGEL><<<rooster, dim3(TEGEL, TEGEL)>>>(A, B, C, M, N, K);
    return cudaGetLastError();
}

cudaError_t gereduceerdFloat(const float* A, const float* B, float* C, int M, int N, int K)
{
    return start<float>(A, B, C, M, N, K);
}

cudaError_t gereduceerdDouble(const double* A, const double* B, double* C, int M, int N, int K)
{
    return start<double>(A, B, C, M, N, K);
}
