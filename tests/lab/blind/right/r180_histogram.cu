// Histogram of byte values, private copy in shared memory per block
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define BINS 256

// hist must be zero before the launch, any block size
__global__ void histogram(const unsigned char *data, int n, unsigned int *hist)
{
    __shared__ unsigned int local[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (local[b] > 0)
            atomicAdd(&hist[b], local[b]);
}

int main(void)
{
    const int n = 123457;
    unsigned char *data = (unsigned char *)malloc(n);
    unsigned int ref[BINS], got[BINS];
    memset(ref, 0, sizeof ref);
    for (int i = 0; i < n; i++) {
        data[i] = (unsigned char)((rand() >> 4) & 0xff);
        ref[data[i]]++;
    }

    unsigned char *dData;
    unsigned int *dHist;
    cudaMalloc((void **)&dData, n);
    cudaMalloc((void **)&dHist, sizeof got);
    cudaMemcpy(dData, data, n, cudaMemcpyHostToDevice);
    cudaMemset(dHist, 0, sizeof got);

    histogram<<<24, 96>>>(dData, n, dHist);
    cudaMemcpy(got, dHist, sizeof got, cudaMemcpyDeviceToHost);

    int same = memcmp(ref, got, sizeof got) == 0;
    printf("%s\n", same ? "histograms agree" : "histograms differ");
    cudaFree(dData); cudaFree(dHist);
    free(data);
    return same ? 0 : 1;
}
