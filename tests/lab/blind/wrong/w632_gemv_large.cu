// y = A x for a tall or wide A (row-major float). A may take several GiB:
// the default is 60000 x 50000, about 12 GB of device memory.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA(call)                                                       \
    do {                                                                 \
        cudaError_t err = (call);                                        \
        if (err != cudaSuccess) {                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(EXIT_FAILURE);                                          \
        }                                                                \
    } while (0)

__global__ void fill(float *A, size_t count)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        A[i] = (float)(i % 3);
}

// one block of 128 threads per row
__global__ void gemv(const float *A, const float *x, float *y, int rows, int cols)
{
    __shared__ float s[128];
    int row = blockIdx.x;
    int t = threadIdx.x;
    float v = 0.0f;
    for (int c = t; c < cols; c += 128)
        v += A[row * cols + c] * x[c];
    s[t] = v;
    __syncthreads();
    for (int h = 64; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) y[row] = s[0];
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 60000;
    int cols = argc > 2 ? atoi(argv[2]) : 50000;
    size_t count = (size_t)rows * cols;

    float *A, *x, *y;
    CUDA(cudaMalloc(&A, count * sizeof(float)));
    CUDA(cudaMalloc(&x, cols * sizeof(float)));
    CUDA(cudaMalloc(&y, rows * sizeof(float)));

    std::vector<float> hx(cols, 1.0f), hy(rows);
    CUDA(cudaMemcpy(x, hx.data(), cols * sizeof(float), cudaMemcpyHostToDevice));
    fill<<<1024, 256>>>(A, count);
    CUDA(cudaGetLastError());
    gemv<<<rows, 128>>>(A, x, y, rows, cols);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(hy.data(), y, rows * sizeof(float), cudaMemcpyDeviceToHost));

    for (int r = 0; r < rows; r += rows / 5 + 1)
        printf("y[%d] = %.1f\n", r, hy[r]);

    CUDA(cudaFree(A));
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
    return 0;
}
