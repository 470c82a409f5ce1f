#include <cstdio>
#include <cuda_runtime.h>

// Iloczyn skalarny liczb calkowitych; suma bloku w jednej komorce wspoldzielonej
__global__ void iloczyn(const int *a, const int *b, int *wynik, int n)
{
    __shared__ int sumaBloku;
    if (threadIdx.x == 0)
        sumaBloku = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sumaBloku, a[i] * b[i]);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(wynik, sumaBloku);
}

int main()
{
    int n = 3333;
    int *a, *b, *w;
    cudaMallocManaged(&a, n * sizeof(int));
    cudaMallocManaged(&b, n * sizeof(int));
    cudaMallocManaged(&w, sizeof(int));
    int spodziewany = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i % 13;
        b[i] = 5 - i % 7;
        spodziewany += a[i] * b[i];
    }
    *w = 0;
    int watki = 64;
    iloczyn<<<(n + watki - 1) / watki, watki>>>(a, b, w, n);
    cudaDeviceSynchronize();
    printf("%d %d\n", *w, spodziewany);
    cudaFree(a); cudaFree(b); cudaFree(w);
    return *w != spodziewany;
}
