// İndirgenmiş matris çarpımı
// A: 2m x k, B: k x 2n, C: m x n (satır öncelikli)
// C[i][j], A*B çarpımının (2i,2j) köşesindeki 2x2 karesinin toplamıdır.
// m, n, k >= 1 için çalışır.

#include <cuda_runtime.h>

template <typename T, int B_>
__global__ void indirgenmisCarpim(const T *A, const T *B, T *C, int m, int n, int k)
{
    __shared__ T aToplam[B_][B_];
    __shared__ T bToplam[B_][B_];

    const int ty = threadIdx.y, tx = threadIdx.x;
    const int i = blockIdx.y * B_ + ty;
    const int j = blockIdx.x * B_ + tx;

    if (i >= m || j >= n)
        return;

    const size_t ldb = 2 * (size_t)n;
    T t = 0;

    for (int adim = 0; adim < k; adim += B_) {
        T a = 0, b = 0;
        if (i < m && adim + tx < k) {
            const size_t p = (size_t)(2 * i) * k + adim + tx;
            a = A[p] + A[p + k];
        }
        if (j < n && adim + ty < k) {
            const size_t p = (size_t)(adim + ty) * ldb + 2 * j;
            b = B[p] + B[p + 1];
        }
        aToplam[ty][tx] = a;
        bToplam[ty][tx] = b;
        __syncthreads();

        for (int q = 0; q < B_; ++q)
            t += aToplam[ty][q] * bToplam[q][tx];
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * n + j] = t;
}

// dA, dB, dC cihaz belleğinde
void calistir(const double *dA, const double *dB, double *dC, int m, int n, int k)
{
    dim3 is(16, 16);
    dim3 bloklar((n + 15) / 16, (m + 15) / 16);
    indirgenmisCarpim<double, 16><<<bloklar, is>>>(dA, dB, dC, m, n, k);
    cudaDeviceSynchronize();
}
