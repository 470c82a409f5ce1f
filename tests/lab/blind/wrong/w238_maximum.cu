#include <cstdio>
#include <cuda_runtime.h>

#define NB 256

// groesster Wert eines Feldes, ein Ergebnis je Block
__global__ void blockMax(const float *feld, float *ergebnis, int n)
{
    __shared__ float s[NB];
    float groesster = 0.0f;
    for (int i = blockIdx.x * NB + threadIdx.x; i < n; i += NB * gridDim.x)
        groesster = fmaxf(groesster, feld[i]);
    s[threadIdx.x] = groesster;
    __syncthreads();

    for (int h = NB / 2; h > 0; h /= 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + h]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        ergebnis[blockIdx.x] = s[0];
}

int main()
{
    const int n = 3000, bloecke = 4;
    float *f, *e;
    cudaMallocManaged(&f, n * sizeof(float));
    cudaMallocManaged(&e, bloecke * sizeof(float));
    for (int i = 0; i < n; i++) f[i] = -10.0f - (i % 50);
    blockMax<<<bloecke, NB>>>(f, e, n);
    cudaDeviceSynchronize();
    float m = e[0];
    for (int b = 1; b < bloecke; b++) m = m > e[b] ? m : e[b];
    printf("Maximum %f\n", m);
    return 0;
}
