// C = alpha * A * B + beta * C in the BLAS layout: column-major with leading
// dimensions, A is m x k, B is k x n, C is m x n,
// lda >= m, ldb >= k, ldc >= m. Sizes from 1 up to 1,000,000.
// Like in BLAS, C is not read when beta == 0.
#include <cuda_runtime.h>

template <typename T>
struct GemmArgs {
    int m, n, k;
    T alpha;
    const T* A; size_t lda;
    const T* B; size_t ldb;
    T beta;
    T* C; size_t ldc;
};

// Block tile BM x BN. Each of the 16 x BN threads keeps BM/16 rows of one column.
template <typename T, int BM, int BN, int BK>
__global__ void __launch_bounds__(16 * BN) gemm_kernel(GemmArgs<T> g)
{
    constexpr int NT = 16 * BN;
    constexpr int R = BM / 16;
    static_assert(BM % 16 == 0, "rows are dealt out by sixteens");

    __shared__ T sA[BK][BM];
    __shared__ T sB[BN][BK + 1];

    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16;
    const int i0 = blockIdx.x * BM, j0 = blockIdx.y * BN;

    T acc[R] = {};

    for (int k0 = 0; k0 < g.k; k0 += BK) {
        for (int e = tid; e < BM * BK; e += NT) {
            const int i = e % BM, p = e / BM;
            sA[p][i] = (i0 + i < g.m && k0 + p < g.k)
                           ? g.A[(i0 + i) + (k0 + p) * g.lda] : T(0);
        }
        for (int e = tid; e < BK * BN; e += NT) {
            const int p = e % BK, j = e / BK;
            sB[j][p] = (k0 + p < g.k && j0 + j < g.n)
                           ? g.B[(k0 + p) + (j0 + j) * g.ldb] : T(0);
        }
        __syncthreads();

#pragma unroll
        for (int p = 0; p < BK; ++p) {
            const T b = sB[ty][p];
#pragma unroll
            for (int r = 0; r < R; ++r)
                acc[r] += sA[p][tx + 16 * r] * b;
        }
        __syncthreads();
    }

    const int j = j0 + ty;
    if (j >= g.n) return;
    T* c = g.C + j * g.ldc;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        const int i = i0 + tx + 16 * r;
        if (i < g.m)
            c[i] = g.beta == T(0) ? g.alpha * acc[r]
                                  : g.alpha * acc[r] + g.beta * c[i];
    }
}

template <typename T>
cudaError_t gemm(const GemmArgs<T>& g, cudaStream_t stream)
{
    constexpr int BM = 64, BN = 16, BK = 16;
    const dim3 grid((g.m + BM - 1) / BM, (g.n + BN - 1) / BN);
    gemm_kernel<T, BM, BN, BK><<<grid, 16 * BN, 0, stream>>>(g);
    return cudaGetLastError();
}

template cudaError_t gemm<float>(const GemmArgs<float>&, cudaStream_t);
template cudaError_t gemm<double>(const GemmArgs<double>&, cudaStream_t);
