#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Operand {
    const __half *base;
    int rows, cols;
    size_t step;        // distance between two members of the batch, in elements
};

template <int W>
__device__ inline void fetch(__half (&tile)[W][W + 2], const Operand &o, int member, int r, int c)
{
    const __half *src = o.base + member * o.step;
    if (r < o.rows && c < o.cols)
        tile[threadIdx.y][threadIdx.x] = src[(size_t)r * o.cols + c];
}

template <int W>
__global__ void batched(Operand a, Operand b, float *out, size_t outStep)
{
    __shared__ __half ta[W][W + 2];
    __shared__ __half tb[W][W + 2];

    const int row = blockIdx.y * W + threadIdx.y;
    const int col = blockIdx.x * W + threadIdx.x;

    float sum = 0.0f;
    for (int k = 0; k < a.cols; k += W) {
        fetch<W>(ta, a, blockIdx.z, row, k + threadIdx.x);
        fetch<W>(tb, b, blockIdx.z, k + threadIdx.y, col);
        __syncthreads();
        for (int q = 0; q < W; ++q)
            sum = fmaf(__half2float(ta[threadIdx.y][q]), __half2float(tb[q][threadIdx.x]), sum);
        __syncthreads();
    }

    if (row < a.rows && col < b.cols)
        out[blockIdx.z * outStep + (size_t)row * b.cols + col] = sum;
}

bool runBatched(Operand a, Operand b, float *out, int members, cudaStream_t st)
{
    if (a.cols != b.rows) return false;
    constexpr int W = 16;
    dim3 block(W, W, 1);
    dim3 grid((b.cols + W - 1) / W, (a.rows + W - 1) / W, members);
    batched<W><<<grid, block, 0, st>>>(a, b, out, (size_t)a.rows * b.cols);
    return cudaGetLastError() == cudaSuccess;
}
