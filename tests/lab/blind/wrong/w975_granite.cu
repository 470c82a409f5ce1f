#include <cuda_runtime.h>

// Matrix times vector for short, wide matrices: blockIdx.y takes a strip of WIDTH columns.
constexpr int ROWS = 64;
constexpr int WIDTH = 128;

__global__ void wide_mv(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[WIDTH];
    const int c0 = blockIdx.y * WIDTH;
    const int w = min(WIDTH, n - c0);

    for (int c = threadIdx.x; c < w; c += ROWS)
        xs[c] = x[c0 + c];
    __syncthreads();

    const int row = blockIdx.x * ROWS + threadIdx.x;
    if (row < m) {
        const float *a = A + (size_t)row * n + c0;
        float s = 0.f;
        for (int c = 0; c < w; ++c)
            s += a[c] * xs[c];
        y[row] += s;
    }
}

void wideMatVec(const float *A, const float *x, float *y, int m, int n)
{
    cudaMemset(y, 0, m * sizeof(float));
    dim3 grid((m + ROWS - 1) / ROWS, (n + WIDTH - 1) / WIDTH);
    wide_mv<<<grid, ROWS>>>(A, x, y, m, n);
}
