#include <cuda_runtime.h>

// y = A^T x, A is row-major (rows x cols), x has `rows` entries, y has `cols`.
__global__ void gemvT(const float* A, const float* x, float* y, int rows, int cols)
{
    __shared__ float part[8][33];

    const int c = blockIdx.x * 32 + threadIdx.x;
    float s = 0.f;
    if (c < cols) {
        for (int r = threadIdx.y; r < rows; r += 8)
            s += A[(size_t)r * cols + c] * x[r];
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.y < 4) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + 4][threadIdx.x];
    __syncthreads();
    if (threadIdx.y < 2) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + 2][threadIdx.x];
    __syncthreads();

    if (threadIdx.y == 0 && c < cols)
        y[c] = part[0][threadIdx.x] + part[1][threadIdx.x];
}

void launch_gemvT(const float* A, const float* x, float* y, int rows, int cols)
{
    gemvT<<<(cols + 31) / 32, dim3(32, 8)>>>(A, x, y, rows, cols);
}
