#include <cstdio>
#include <cuda_runtime.h>

#define NTH 128
__device__ unsigned int zaehler = 0;

__device__ void baum(float *s, int t)
{
    for (int h = NTH / 2; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
}

// Der zuletzt fertige Block addiert die Teilsummen aller Bloecke
__global__ void skalar(const float *a, const float *b, float *teil, float *ergebnis, int n)
{
    __shared__ float s[NTH];
    __shared__ bool letzter;
    const int t = threadIdx.x;

    float x = 0.0f;
    for (int i = blockIdx.x * NTH + t; i < n; i += gridDim.x * NTH)
        x += a[i] * b[i];
    s[t] = x;
    __syncthreads();
    baum(s, t);

    if (t == 0) {
        teil[blockIdx.x] = s[0];
        __threadfence();
        letzter = (atomicAdd(&zaehler, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (letzter) {              // gleich fuer alle Threads des Blocks
        x = 0.0f;
        for (int i = t; i < gridDim.x; i += NTH)
            x += __ldcg(&teil[i]);
        s[t] = x;
        __syncthreads();
        baum(s, t);
        if (t == 0) {
            *ergebnis = s[0];
            zaehler = 0;
        }
    }
}

int main()
{
    const int n = 20000, bloecke = 40;
    float *a, *b, *teil, *e;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&teil, bloecke * sizeof(float));
    cudaMallocManaged(&e, sizeof(float));
    for (int i = 0; i < n; i++) { a[i] = 1.0f; b[i] = 0.25f; }
    skalar<<<bloecke, NTH>>>(a, b, teil, e, n);
    cudaDeviceSynchronize();
    printf("%f (soll %f)\n", *e, 0.25f * n);
    return 0;
}
