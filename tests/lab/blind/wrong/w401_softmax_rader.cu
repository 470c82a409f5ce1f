// Radvis softmax. Ett block per rad, tråd t tar kolumnerna t, t+blockDim.x, ...
// Fungerar för valfritt antal rader och kolumner (>= 1).
#include <cuda_runtime.h>
#include <cfloat>

__global__ void softmaxRader(const float *in, float *ut, int kolumner)
{
    extern __shared__ float arbete[];
    const float *rad = in + (size_t)blockIdx.x * kolumner;
    float *utrad = ut + (size_t)blockIdx.x * kolumner;
    const int t = threadIdx.x;

    // 1. radens största värde
    float storst = -FLT_MAX;
    for (int k = t; k < kolumner; k += blockDim.x)
        storst = fmaxf(storst, rad[k]);
    arbete[t] = storst;
    __syncthreads();
    for (int halva = blockDim.x / 2; halva > 0; halva /= 2) {
        if (t < halva)
            arbete[t] = fmaxf(arbete[t], arbete[t + halva]);
        __syncthreads();
    }
    storst = arbete[0];
    __syncthreads();

    // 2. summan av exponenterna
    float summa = 0.0f;
    for (int k = t; k < kolumner; k += blockDim.x)
        summa += expf(rad[k] - storst);
    arbete[t] = summa;
    __syncthreads();
    for (int halva = blockDim.x / 2; halva > 0; halva /= 2) {
        if (t < halva)
            arbete[t] += arbete[t + halva];
        __syncthreads();
    }
    summa = arbete[0];

    // 3. normering
    for (int k = t; k < kolumner; k += blockDim.x)
        utrad[k] = expf(rad[k] - storst) / summa;
}

void korSoftmax(const float *d_in, float *d_ut, int rader, int kolumner)
{
    int tradar = kolumner < 256 ? kolumner : 256;
    softmaxRader<<<rader, tradar, tradar * sizeof(float)>>>(d_in, d_ut, kolumner);
}
