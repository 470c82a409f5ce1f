#include <cstdio>
#include <cuda_runtime.h>

#define KOSZYKI 64

// histogram liczb z zakresu 0 .. KOSZYKI-1
__global__ void histogram(const int *dane, int *wynik, int n)
{
    __shared__ int lokalny[KOSZYKI];
    if (threadIdx.x < KOSZYKI)
        lokalny[threadIdx.x] = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        lokalny[dane[i]]++;
    __syncthreads();

    if (threadIdx.x < KOSZYKI)
        atomicAdd(&wynik[threadIdx.x], lokalny[threadIdx.x]);
}

int main()
{
    const int n = 2000;
    int *dane, *wynik;
    cudaMallocManaged(&dane, n * sizeof(int));
    cudaMallocManaged(&wynik, KOSZYKI * sizeof(int));
    for (int i = 0; i < n; i++) dane[i] = (i * i) % KOSZYKI;
    for (int k = 0; k < KOSZYKI; k++) wynik[k] = 0;
    histogram<<<(n + 127) / 128, 128>>>(dane, wynik, n);
    cudaDeviceSynchronize();
    int suma = 0;
    for (int k = 0; k < KOSZYKI; k++) suma += wynik[k];
    printf("%d z %d\n", suma, n);
    return 0;
}
