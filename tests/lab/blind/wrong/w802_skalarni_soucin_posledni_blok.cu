// Skalární součin v jednom spuštění: poslední hotový blok sečte částečné výsledky.
// Jádro lze volat opakovaně.
// Délka n od 1 do 2^28; všechna volání jdou do téhož proudu.
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned int hotovo = 0;

template <int VLAKEN>
__device__ float sectiBlok(float v, float* s)
{
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int k = VLAKEN / 2; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    const float celkem = s[0];
    __syncthreads();
    return celkem;
}

template <int VLAKEN>
__global__ void skalarniSoucin(const float* a, const float* b, int n, volatile float* castecne, float* vysledek)
{
    __shared__ float s[VLAKEN];
    __shared__ bool posledni;
    const int t = threadIdx.x;

    float v = 0.0f;
    for (int i = blockIdx.x * VLAKEN + t; i < n; i += gridDim.x * VLAKEN) v += a[i] * b[i];
    v = sectiBlok<VLAKEN>(v, s);

    if (t == 0) {
        castecne[blockIdx.x] = v;
        __threadfence();
        const unsigned poradi = atomicInc(&hotovo, gridDim.x);
        posledni = poradi == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();

    if (posledni) {
        v = 0.0f;
        for (unsigned i = t; i < gridDim.x; i += VLAKEN) v += castecne[i];
        v = sectiBlok<VLAKEN>(v, s);
        if (t == 0) *vysledek = v;
    }
}

int main()
{
    const int n = 3000000, bloku = 300;
    float *a, *b, *castecne, *vysledek;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMalloc(&castecne, bloku * sizeof(float));
    cudaMallocManaged(&vysledek, sizeof(float));

    for (int kolo = 1; kolo <= 3; ++kolo) {
        for (int i = 0; i < n; ++i) { a[i] = kolo; b[i] = 0.5f; }
        skalarniSoucin<256><<<bloku, 256>>>(a, b, n, castecne, vysledek);
        cudaDeviceSynchronize();
        printf("kolo %d: %.1f (cekame %.1f)\n", kolo, *vysledek, 0.5 * kolo * n);
    }
    cudaFree(a); cudaFree(b); cudaFree(castecne); cudaFree(vysledek);
    return 0;
}
