// Skalárny súčin celočíselných vektorov.
// Prvky sú int v rozsahu -1000000 .. 1000000, dĺžka n najviac 2^22, výsledok 64-bitový.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ long long sucetWarpu(long long h)
{
    h += __shfl_down_sync(0xffffffff, h, 16);
    h += __shfl_down_sync(0xffffffff, h, 8);
    h += __shfl_down_sync(0xffffffff, h, 4);
    h += __shfl_down_sync(0xffffffff, h, 2);
    h += __shfl_down_sync(0xffffffff, h, 1);
    return h;
}

__global__ void sucin(const int *a, const int *b, int n, unsigned long long *vysledok)
{
    long long suma = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        suma += a[i] * b[i];

    suma = sucetWarpu(suma);
    if (threadIdx.x % 32 == 0)
        atomicAdd(vysledok, (unsigned long long)suma);
}

long long skalarnySucin(const int *a, const int *b, int n)
{
    int *da, *db;
    unsigned long long *dv, v = 0;
    size_t bajtov = n * sizeof(int);
    cudaMalloc(&da, bajtov);
    cudaMalloc(&db, bajtov);
    cudaMalloc(&dv, sizeof(v));
    cudaMemcpy(da, a, bajtov, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, bajtov, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, &v, sizeof(v), cudaMemcpyHostToDevice);

    sucin<<<120, 128>>>(da, db, n, dv);

    cudaMemcpy(&v, dv, sizeof(v), cudaMemcpyDeviceToHost);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        printf("chyba: %s\n", cudaGetErrorString(e));
    cudaFree(da);
    cudaFree(db);
    cudaFree(dv);
    return (long long)v;
}
