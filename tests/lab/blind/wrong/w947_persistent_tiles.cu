// Matrix product with a fixed number of blocks: every block walks over the output tiles.
#include <cuda_runtime.h>

template <typename T, int E>
__global__ void mm_walk(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C,
                        int M, int N, int K)
{
    __shared__ T a[E][E + 1];
    __shared__ T b[E][E + 1];
    const int tx = threadIdx.x % E;
    const int ty = threadIdx.x / E;
    const int across = (N + E - 1) / E;
    const int down = (M + E - 1) / E;
    T acc = T(0);

    for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int row = (tile / across) * E + ty;
        const int col = (tile % across) * E + tx;

        for (int k = 0; k < K; k += E) {
            a[ty][tx] = (row < M && k + tx < K) ? A[(size_t)row * K + k + tx] : T(0);
            b[ty][tx] = (col < N && k + ty < K) ? B[(size_t)(k + ty) * N + col] : T(0);
            __syncthreads();
            for (int e = 0; e < E; ++e)
                acc += a[ty][e] * b[e][tx];
            __syncthreads();
        }

        if (row < M && col < N)
            C[(size_t)row * N + col] = acc;
    }
}

void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int blocks = 108;
    mm_walk<float, 16><<<blocks, 256>>>(A, B, C, M, N, K);
}

void matmul(const double* A, const double* B, double* C, int M, int N, int K)
{
    mm_walk<double, 8><<<216, 64>>>(A, B, C, M, N, K);
}
