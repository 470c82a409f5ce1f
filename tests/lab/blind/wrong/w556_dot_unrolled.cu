// Assignment 3: parallel dot product (reduction in shared memory, last warp unrolled)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NT 256

__global__ void dot(const float *x, const float *y, float *out, int n)
{
    __shared__ float sdata[NT];
    unsigned int tid = threadIdx.x;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        sum += x[i] * y[i];
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    // only one warp is left, its threads run in lockstep
    if (tid < 32) {
        sdata[tid] += sdata[tid + 32];
        sdata[tid] += sdata[tid + 16];
        sdata[tid] += sdata[tid + 8];
        sdata[tid] += sdata[tid + 4];
        sdata[tid] += sdata[tid + 2];
        sdata[tid] += sdata[tid + 1];
    }
    if (tid == 0)
        atomicAdd(out, sdata[0]);
}

int main(void)
{
    int n = 1 << 20;
    size_t bytes = n * sizeof(float);
    float *hx = (float *)malloc(bytes);
    float *hy = (float *)malloc(bytes);
    double expected = 0;
    for (int i = 0; i < n; i++) {
        hx[i] = (rand() % 100) / 100.0f;
        hy[i] = (rand() % 100) / 100.0f;
        expected += (double)hx[i] * hy[i];
    }

    float *dx, *dy, *dout, result;
    cudaMalloc((void **)&dx, bytes);
    cudaMalloc((void **)&dy, bytes);
    cudaMalloc((void **)&dout, sizeof(float));
    cudaMemcpy(dx, hx, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy, bytes, cudaMemcpyHostToDevice);
    cudaMemset(dout, 0, sizeof(float));

    dot<<<128, NT>>>(dx, dy, dout, n);
    cudaMemcpy(&result, dout, sizeof(float), cudaMemcpyDeviceToHost);

    printf("gpu: %.3f  cpu: %.3f  %s\n", result, expected,
           fabs(result - expected) < 1e-4 * expected ? "OK" : "WRONG");

    cudaFree(dx); cudaFree(dy); cudaFree(dout);
    free(hx); free(hy);
    return 0;
}
