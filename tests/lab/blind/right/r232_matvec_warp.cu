#include <cstdio>
#include <cuda_runtime.h>

// y = A x, one warp (threadIdx.y) per row
__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows) {
        float s = 0.0f;
        for (int c = threadIdx.x; c < cols; c += 32)
            s += A[row * cols + c] * x[c];
        for (int d = 16; d > 0; d /= 2)
            s += __shfl_xor_sync(0xffffffff, s, d);
        if (threadIdx.x == 0)
            y[row] = s;
    }
}

int main()
{
    const int rows = 45, cols = 130;
    float *A, *x, *y;
    cudaMallocManaged(&A, rows * cols * sizeof(float));
    cudaMallocManaged(&x, cols * sizeof(float));
    cudaMallocManaged(&y, rows * sizeof(float));
    for (int i = 0; i < rows * cols; ++i) A[i] = 1.0f;
    for (int i = 0; i < cols; ++i) x[i] = i;
    dim3 block(32, 4);
    matvec<<<(rows + 3) / 4, block>>>(A, x, y, rows, cols);
    cudaDeviceSynchronize();
    printf("%f %f\n", y[0], cols * (cols - 1) / 2.0f);
    return 0;
}
