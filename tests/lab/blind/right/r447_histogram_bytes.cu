// Histogram av bytes. Antalet fack skickas med (1..256), ett varde v hamnar i
// fack v * fack / 256. Resultatet LAGGS TILL i `ut` -- den som anropar nollstaller.
#include <cuda_runtime.h>

__global__ void histogram(const unsigned char *data, long antal, unsigned int *ut, int fack)
{
    extern __shared__ unsigned int lokal[];

    for (int f = threadIdx.x; f < fack; f += blockDim.x)
        lokal[f] = 0u;
    __syncthreads();

    long steg = (long)blockDim.x * gridDim.x;
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    while (i < antal) {
        int f = (int)data[i] * fack / 256;
        atomicAdd(lokal + f, 1u);
        i += steg;
    }
    __syncthreads();

    for (int f = threadIdx.x; f < fack; f += blockDim.x)
        if (lokal[f])
            atomicAdd(&ut[f], lokal[f]);
}

int rakna(const unsigned char *varddata, long antal, unsigned int *vardut, int fack)
{
    if (fack < 1 || fack > 256 || antal < 0) return -1;

    unsigned char *d = 0;
    unsigned int *u = 0;
    cudaStream_t ko;
    cudaStreamCreate(&ko);
    cudaMalloc((void **)&d, antal > 0 ? antal : 1);
    cudaMalloc((void **)&u, fack * sizeof(unsigned int));

    cudaMemsetAsync(u, 0, fack * sizeof(unsigned int), ko);
    cudaMemcpyAsync(d, varddata, antal, cudaMemcpyHostToDevice, ko);
    histogram<<<24, 96, fack * sizeof(unsigned int), ko>>>(d, antal, u, fack);
    cudaMemcpyAsync(vardut, u, fack * sizeof(unsigned int), cudaMemcpyDeviceToHost, ko);
    cudaStreamSynchronize(ko);

    int fel = cudaGetLastError() != cudaSuccess;
    cudaFree(d);
    cudaFree(u);
    cudaStreamDestroy(ko);
    return fel;
}
