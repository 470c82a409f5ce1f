#include <cstdio>
#include <cuda_runtime.h>

#define GROESSE 512

__global__ void skalarBaum(const float *a, const float *b, float *teil, int n)
{
    __shared__ float s[GROESSE];
    const int t = threadIdx.x;
    const int i = blockIdx.x * GROESSE + t;

    float x = 0.0f;
    if (i < n)
        x = a[i] * b[i];
    s[t] = x;
    __syncthreads();

    for (int weite = GROESSE / 2; weite >= 1; weite = weite / 2) {
        if (t < weite)
            s[t] = s[t] + s[t + weite];
    }
    __syncthreads();

    if (t == 0)
        teil[blockIdx.x] = s[0];
}

int main()
{
    const int n = 4000;
    const int bloecke = (n + GROESSE - 1) / GROESSE;
    float *a, *b, *teil;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&teil, bloecke * sizeof(float));
    for (int i = 0; i < n; i++) { a[i] = 1.0f; b[i] = 3.0f; }
    skalarBaum<<<bloecke, GROESSE>>>(a, b, teil, n);
    cudaDeviceSynchronize();
    float summe = 0.0f;
    for (int i = 0; i < bloecke; i++) summe += teil[i];
    printf("%f\n", summe);
    return 0;
}
