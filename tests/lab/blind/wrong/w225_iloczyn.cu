#include <cstdio>
#include <cuda_runtime.h>

#define WATKI 128

__device__ double sumaWarpa(double x)
{
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}

__global__ void iloczynSkalarny(const double *a, const double *b, double *czesci, int n)
{
    __shared__ double warpy[32];
    double x = 0.0;
    for (int i = blockIdx.x * WATKI + threadIdx.x; i < n; i += gridDim.x * WATKI)
        x += a[i] * b[i];

    x = sumaWarpa(x);
    if (threadIdx.x % 32 == 0)
        warpy[threadIdx.x / 32] = x;
    __syncthreads();

    if (threadIdx.x < 32) {
        x = sumaWarpa(warpy[threadIdx.x]);
        if (threadIdx.x == 0)
            czesci[blockIdx.x] = x;
    }
}

int main()
{
    const int n = 3000, bloki = 8;
    double *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof(double));
    cudaMallocManaged(&b, n * sizeof(double));
    cudaMallocManaged(&c, bloki * sizeof(double));
    for (int i = 0; i < n; i++) { a[i] = 0.5; b[i] = 4.0; }
    iloczynSkalarny<<<bloki, WATKI>>>(a, b, c, n);
    cudaDeviceSynchronize();
    double s = 0;
    for (int i = 0; i < bloki; i++) s += c[i];
    printf("%g\n", s);
    return 0;
}
