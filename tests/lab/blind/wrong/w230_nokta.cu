#include <cstdio>
#include <cuda_runtime.h>

#define BOYUT 256

__global__ void noktaCarpim(int n, const float *a, const float *b, float *c)
{
    __shared__ float ortak[BOYUT];
    int t = threadIdx.x;
    int i = blockIdx.x * BOYUT + t;
    ortak[t] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();

    for (int yari = BOYUT / 2; yari > 0; yari /= 2) {
        if (t < yari) {
            ortak[t] += ortak[t + yari];
            __syncthreads();
        }
    }
    if (t == 0)
        c[blockIdx.x] = ortak[0];
}

int main()
{
    const int n = 1000, blok = (n + BOYUT - 1) / BOYUT;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&c, blok * sizeof(float));
    for (int i = 0; i < n; i++) { a[i] = i % 4; b[i] = 1.0f; }
    noktaCarpim<<<blok, BOYUT>>>(n, a, b, c);
    cudaDeviceSynchronize();
    float s = 0;
    for (int i = 0; i < blok; i++) s += c[i];
    printf("%f\n", s);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return 0;
}
