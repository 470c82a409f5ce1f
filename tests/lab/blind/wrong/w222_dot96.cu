#include <cstdio>
#include <cuda_runtime.h>

__global__ void dotKernel(const float *x, const float *y, float *out, int n)
{
    extern __shared__ float red[];
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += x[i] * y[i];
    red[threadIdx.x] = s;
    __syncthreads();

    for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w)
            red[threadIdx.x] += red[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, red[0]);
}

int main()
{
    const int n = 2500;
    const int threads = 96;
    float *x, *y, *out;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    for (int i = 0; i < n; ++i) { x[i] = 1.0f; y[i] = 1.0f; }
    *out = 0.0f;
    dotKernel<<<10, threads, threads * sizeof(float)>>>(x, y, out, n);
    cudaDeviceSynchronize();
    printf("%f %d\n", *out, n);
    cudaFree(x); cudaFree(y); cudaFree(out);
    return 0;
}
