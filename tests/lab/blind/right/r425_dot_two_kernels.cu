/* dot product in two steps:
 *   1. every block writes one partial sum
 *   2. one block adds up the partial sums
 * usage: ./dot [n]      (n >= 1)
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define BLK 256            /* power of two! */
#define MAXBLOCKS 480

__device__ void block_sum(float *buf)
{
    /* tree reduction, result in buf[0]; called by ALL threads of the block */
    for (int half = BLK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            buf[threadIdx.x] += buf[threadIdx.x + half];
    }
}

__global__ void dot_partial(const float *x, const float *y, float *part, int n)
{
    __shared__ float buf[BLK];
    float s = 0.0f;
    int stride = gridDim.x * BLK;

    for (int i = blockIdx.x * BLK + threadIdx.x; i < n; i += stride)
        s += x[i] * y[i];

    buf[threadIdx.x] = s;
    block_sum(buf);

    if (threadIdx.x == 0)
        part[blockIdx.x] = buf[0];
}

__global__ void dot_final(const float *part, int count, float *result)
{
    __shared__ float buf[BLK];
    float s = 0.0f;

    for (int i = threadIdx.x; i < count; i += BLK)
        s += part[i];

    buf[threadIdx.x] = s;
    block_sum(buf);

    if (threadIdx.x == 0)
        *result = buf[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300007;
    if (n < 1 || n > 500000000) {
        printf("bad n\n");
        return 1;
    }
    size_t bytes = (size_t)n * sizeof(float);
    float *x = (float *)malloc(bytes);
    float *y = (float *)malloc(bytes);
    double want = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)rand() / RAND_MAX;
        y[i] = (float)rand() / RAND_MAX;
        want += (double)x[i] * y[i];
    }

    int blocks = (n + BLK - 1) / BLK;
    if (blocks > MAXBLOCKS) blocks = MAXBLOCKS;

    float *dx, *dy, *dpart, *dres, got;
    cudaMalloc((void **)&dx, bytes);
    cudaMalloc((void **)&dy, bytes);
    cudaMalloc((void **)&dpart, blocks * sizeof(float));
    cudaMalloc((void **)&dres, sizeof(float));
    cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, bytes, cudaMemcpyHostToDevice);

    dot_partial<<<blocks, BLK>>>(dx, dy, dpart, n);
    dot_final<<<1, BLK>>>(dpart, blocks, dres);

    cudaMemcpy(&got, dres, sizeof(float), cudaMemcpyDeviceToHost);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(err));
        return 1;
    }

    printf("gpu %f  cpu %f  rel. diff %g\n", got, want, fabs(got - want) / want);

    cudaFree(dx); cudaFree(dy); cudaFree(dpart); cudaFree(dres);
    free(x); free(y);
    return 0;
}
