// Column-major GEMM in the spirit of BLAS:
//   C = alpha * op(A) * B + beta * C,   op(A) is m x k, B is k x n, C is m x n.
// With TRANS_A the stored A is k x m (lda >= k), otherwise m x k (lda >= m).
// m, n, k from 1 to 1000000.  C is not read when beta == 0.
#include <cuda_runtime.h>

constexpr int NB = 16;

template <typename T, bool TRANS_A>
__global__ void __launch_bounds__(NB *NB)
gemm_cm(int m, int n, int k, T alpha, const T *__restrict__ A, int lda,
        const T *__restrict__ B, int ldb, T beta, T *__restrict__ C, int ldc)
{
    __shared__ T as[NB][NB + 1];   // as[kk][i]
    __shared__ T bs[NB][NB + 1];   // bs[j][kk]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.x * NB;
    const int j0 = blockIdx.y * NB;

    T acc = T(0);
    for (int k0 = 0; k0 < k; k0 += NB) {
        if (TRANS_A) {
            // tx runs down the stored column, that is along k
            int kk = k0 + tx, i = i0 + ty;
            as[tx][ty] = (kk < k && i < m) ? A[kk + (size_t)i * lda] : T(0);
        } else {
            int i = i0 + tx, kk = k0 + ty;
            as[ty][tx] = (kk < k && i < m) ? A[i + (size_t)kk * lda] : T(0);
        }
        {
            int kk = k0 + tx, j = j0 + ty;
            bs[ty][tx] = (kk < k && j < n) ? B[kk + (size_t)j * ldb] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < NB; ++q)
            acc += as[q][tx] * bs[ty][q];
        __syncthreads();
    }

    const int i = i0 + tx, j = j0 + ty;
    if (i < m && j < n) {
        T *c = C + i + (size_t)j * ldc;
        if (beta == T(0))
            *c = alpha * acc;
        else
            *c = alpha * acc + beta * *c;
    }
}

template <typename T>
cudaError_t gemm(bool transA, int m, int n, int k, T alpha, const T *A, int lda,
                 const T *B, int ldb, T beta, T *C, int ldc, cudaStream_t s)
{
    dim3 blk(NB, NB);
    dim3 grd((m + NB - 1) / NB, (n + NB - 1) / NB);
    if (transA)
        gemm_cm<T, true><<<grd, blk, 0, s>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        gemm_cm<T, false><<<grd, blk, 0, s>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

template cudaError_t gemm<float>(bool, int, int, int, float, const float *, int,
                                 const float *, int, float, float *, int, cudaStream_t);
template cudaError_t gemm<double>(bool, int, int, int, double, const double *, int,
                                  const double *, int, double, double *, int, cudaStream_t);
