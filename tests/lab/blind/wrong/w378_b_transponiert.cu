// C = A * B^T mit A: m x k (Zeilenabstand lda), B: n x k (Zeilenabstand ldb),
// C: m x n (Zeilenabstand ldc). Zeilenweise Ablage, lda >= k, ldb >= k, ldc >= n.
//
// Start:
//   dim3 block(16, 16);
//   dim3 gitter((n + 15) / 16, (m + 15) / 16);
//   mal_b_transponiert<double><<<gitter, block>>>(m, n, k, A, lda, B, ldb, C, ldc);
#include <cuda_runtime.h>

template <typename T, int S = 16>
__global__ void mal_b_transponiert(int m, int n, int k,
                                   const T* A, int lda,
                                   const T* B, int ldb,
                                   T* C, int ldc)
{
    __shared__ T a[S][S + 1];
    __shared__ T b[S][S + 1];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = blockIdx.y * S + y;          // Zeile von A und C
    const int jLaden = blockIdx.x * S + y;     // Zeile von B beim Laden
    const int j = blockIdx.x * S + x;          // Spalte von C

    T summe = 0;
    for (int k0 = 0; k0 < k; k0 += S) {
        const int kk = k0 + x;

        a[y][x] = (i < m && kk < k) ? A[(size_t)i * lda + kk] : T(0);
        b[y][x] = (jLaden < n && kk < k) ? B[(size_t)jLaden * ldb + kk] : T(0);
        __syncthreads();

#pragma unroll
        for (int t = 0; t < S; ++t)
            summe += a[y][t] * b[t][x];
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * ldc + j] = summe;
}

template __global__ void mal_b_transponiert<float, 16>(
    int, int, int, const float*, int, const float*, int, float*, int);
template __global__ void mal_b_transponiert<double, 16>(
    int, int, int, const double*, int, const double*, int, double*, int);
