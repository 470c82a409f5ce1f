// Dot product in two steps: every block writes its partial sum, then a second
// kernel with only one block sums these.  Call gpuDot() with host arrays, n >= 1.
#include <cuda_runtime.h>
#include <stdio.h>

#define BLOCK_SIZE 256

__device__ void treeSum(double *buf)
{
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            buf[threadIdx.x] += buf[threadIdx.x + stride];
        __syncthreads();
    }
}

__global__ void stage1(const float *a, const float *b, double *blockSums, int n)
{
    __shared__ double buf[BLOCK_SIZE];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;

    if (i < n)
        buf[threadIdx.x] = (double)a[i] * b[i];
    else
        buf[threadIdx.x] = 0;
    __syncthreads();

    treeSum(buf);

    if (threadIdx.x == 0)
        blockSums[blockIdx.x] = buf[0];
}

__global__ void stage2(const double *blockSums, double *result, int numBlocks)
{
    __shared__ double buf[BLOCK_SIZE];

    // not every thread has a block sum to add
    if (threadIdx.x < numBlocks)
        buf[threadIdx.x] = blockSums[threadIdx.x];
    else
        buf[threadIdx.x] = 0;
    __syncthreads();

    treeSum(buf);

    if (threadIdx.x == 0)
        *result = buf[0];
}

double gpuDot(const float *a, const float *b, int n)
{
    int numBlocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    size_t bytes = n * sizeof(float);

    float *d_a, *d_b;
    double *d_sums, *d_result;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_sums, numBlocks * sizeof(double));
    cudaMalloc(&d_result, sizeof(double));

    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

    stage1<<<numBlocks, BLOCK_SIZE>>>(d_a, d_b, d_sums, n);
    stage2<<<1, BLOCK_SIZE>>>(d_sums, d_result, numBlocks);

    double result = 0;
    cudaMemcpy(&result, d_result, sizeof(double), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess)
        printf("something went wrong on the GPU\n");

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_sums);
    cudaFree(d_result);
    return result;
}
