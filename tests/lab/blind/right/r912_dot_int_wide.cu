#include <cuda_runtime.h>
// Scalar product of int vectors, 64 bit result. Each warp adds its own sum to the result.

typedef unsigned long long u64;

__global__ void skalarprodukt(const int* a, const int* b, long n, u64* ergebnis)
{
    long long summe = 0;
    long schritt = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += schritt)
        summe += (long long)a[i] * b[i];

    for (int maske = 1; maske < 32; maske <<= 1)
        summe += __shfl_xor_sync(0xffffffffu, summe, maske);

    // two's complement: adding as unsigned gives the right bits for negative sums too
    if (threadIdx.x % 32 == 7)
        atomicAdd(ergebnis, (u64)summe);
}

long long rechne(const int* a, const int* b, long n)
{
    u64* d;
    u64 h = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
    skalarprodukt<<<6, 96>>>(a, b, n, d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return (long long)h;
}
