/* y = alpha * A x + beta * y ; A is rows x cols, row major with pitch lda.
   One warp handles one row, rows are dealt out with a grid stride loop. */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

static constexpr int kWarp = 32;
static constexpr int kWarpsPerBlock = 4;

__global__ void gemv(int rows, int cols, float alpha, const float *A, int lda,
                     const float *x, float beta, float *y)
{
    const int lane = threadIdx.x;
    const int warp = blockIdx.x * blockDim.y + threadIdx.y;
    const int warps = gridDim.x * blockDim.y;

    for (int r = warp; r < rows; r += warps) {
        const float *a = A + (size_t)r * lda;
        float t = 0.f;
        for (int c = lane; c < cols; c += kWarp)
            t += a[c] * x[c];
        for (int m = kWarp / 2; m; m /= 2)
            t += __shfl_xor_sync(0xffffffff, t, m);
        if (lane == 0)
            y[r] = alpha * t + beta * y[r];
    }
}

int main()
{
    const int rows = 999, cols = 517, lda = 520;
    const float alpha = 0.5f, beta = -2.0f;
    float *A = new float[rows * lda], *x = new float[cols], *y = new float[rows], *z = new float[rows];
    for (int i = 0; i < rows * lda; ++i) A[i] = (float)(rand() % 100) / 50.f - 1.f;
    for (int i = 0; i < cols; ++i) x[i] = (float)(rand() % 100) / 50.f - 1.f;
    for (int i = 0; i < rows; ++i) y[i] = (float)i / rows;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, sizeof(float) * rows * lda);
    cudaMalloc(&dx, sizeof(float) * cols);
    cudaMalloc(&dy, sizeof(float) * rows);
    cudaMemcpy(dA, A, sizeof(float) * rows * lda, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof(float) * cols, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof(float) * rows, cudaMemcpyHostToDevice);

    dim3 block(kWarp, kWarpsPerBlock);
    gemv<<<64, block>>>(rows, cols, alpha, dA, lda, dx, beta, dy);
    if (cudaDeviceSynchronize() != cudaSuccess) { puts("launch failed"); return 2; }
    cudaMemcpy(z, dy, sizeof(float) * rows, cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int r = 0; r < rows; ++r) {
        double t = 0;
        for (int c = 0; c < cols; ++c) t += (double)A[r * lda + c] * x[c];
        double want = alpha * t + beta * y[r];
        if (fabs(want - z[r]) > 1e-3) ++bad;
    }
    printf("bad rows: %d\n", bad);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    delete[] A; delete[] x; delete[] y; delete[] z;
    return bad ? 1 : 0;
}
