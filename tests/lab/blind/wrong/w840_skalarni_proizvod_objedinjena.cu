// Skalarni proizvod u objedinjenoj memoriji; delimične sume blokova sabira procesor.
// Dužina n od 1 do 2^30.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int NITI = 256;
constexpr int MAKS_BLOKOVA = 256;

__global__ void delimicno(const double* a, const double* b, double* delovi, int n)
{
    __shared__ double s[NITI];
    const int t = threadIdx.x;
    double v = 0.0;
    for (int i = blockIdx.x * NITI + t; i < n; i += gridDim.x * NITI)
        v = fma(a[i], b[i], v);
    s[t] = v;
    __syncthreads();
    #pragma unroll
    for (int h = NITI / 2; h >= 1; h /= 2) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) delovi[blockIdx.x] = s[0];
}

double proizvod(const double* a, const double* b, int n)
{
    int blokova = (n + NITI - 1) / NITI;
    if (blokova > MAKS_BLOKOVA) blokova = MAKS_BLOKOVA;

    double* delovi;
    cudaMallocManaged(&delovi, blokova * sizeof(double));
    delimicno<<<blokova, NITI>>>(a, b, delovi, n);

    double zbir = 0.0;
    for (int i = 0; i < blokova; ++i)
        zbir += delovi[i];
    cudaFree(delovi);
    return zbir;
}

int main()
{
    const int n = 777777;
    double *a, *b;
    cudaMallocManaged(&a, n * sizeof(double));
    cudaMallocManaged(&b, n * sizeof(double));
    double tacno = 0.0;
    for (int i = 0; i < n; ++i) {
        a[i] = std::sin(0.001 * i);
        b[i] = 1.0 / (1 + i % 100);
        tacno += a[i] * b[i];
    }
    const double dobijeno = proizvod(a, b, n);
    std::printf("dobijeno %.10f, tacno %.10f\n", dobijeno, tacno);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
