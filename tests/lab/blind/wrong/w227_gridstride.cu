#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

template <int NT>
__global__ void dotStride(const float *x, const float *y, float *total, int n)
{
    __shared__ float sh[NT];
    float acc = 0.0f;
    int i = blockIdx.x * NT + threadIdx.x;
    for (; i < n; i += NT)
        acc += x[i] * y[i];

    sh[threadIdx.x] = acc;
    __syncthreads();
#pragma unroll
    for (int h = NT / 2; h > 0; h /= 2) {
        if (threadIdx.x < h)
            sh[threadIdx.x] += sh[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, sh[0]);
}

int main()
{
    const int n = 10000;
    std::vector<float> x(n, 1.0f), y(n, 0.5f);
    float *dx, *dy, *dt, total = 0.0f;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dt, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, &total, sizeof(float), cudaMemcpyHostToDevice);
    dotStride<64><<<16, 64>>>(dx, dy, dt, n);
    cudaMemcpy(&total, dt, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", total);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dt);
    return 0;
}
