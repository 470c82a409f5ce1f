// C = A * B^T.   A: M x K,  B: N x K,  C: M x N.  All row major, sizes arbitrary.
#include <cuda_runtime.h>
#include <cassert>

template <typename real, int BS>
class ABt {
public:
    static void run(const real *A, const real *B, real *C, int M, int N, int K,
                    cudaStream_t stream);
};

template <typename real, int BS>
__global__ void abt_kernel(const real *A, const real *B, real *C, int M, int N, int K)
{
    __shared__ real a_s[BS][BS + 1];
    __shared__ real b_s[BS][BS + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int rowA = blockIdx.y * BS + ty;
    const int rowB = blockIdx.x * BS + ty;
    real dot = 0;

    for (int k0 = 0; k0 < K; k0 += BS) {
        const int k = k0 + tx;
        a_s[ty][tx] = (rowA < M && k < K) ? A[(size_t)rowA * K + k] : real(0);
        b_s[ty][tx] = (rowB < N && k < K) ? B[(size_t)rowB * N + k] : real(0);
        __syncthreads();

        for (int q = 0; q < BS; ++q)
            dot += a_s[ty][q] * b_s[tx][q];
        __syncthreads();
    }

    const int col = blockIdx.x * BS + tx;
    if (rowA < M && col < N)
        C[(size_t)rowA * N + col] = dot;
}

template <typename real, int BS>
void ABt<real, BS>::run(const real *A, const real *B, real *C, int M, int N, int K,
                        cudaStream_t stream)
{
    assert(M > 0 && N > 0 && K > 0);
    const dim3 block(BS, BS);
    const dim3 grid((N + BS - 1) / BS, (M + BS - 1) / BS);
    abt_kernel<real, BS><<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}

template class ABt<float, 16>;
template class ABt<float, 32>;
template class ABt<double, 16>;
