// İç çarpım: warp içinde shuffle ile toplama, warp toplamları paylaşımlı bellekte
#include <cuda_runtime.h>

#define IPLIK 128
#define WARP_SAYISI (IPLIK / 32)

__inline__ __device__ float warpTopla(float deger)
{
    for (int fark = 16; fark > 0; fark /= 2)
        deger += __shfl_down_sync(0xffffffffu, deger, fark);
    return deger;
}

__global__ void icCarpim(const float *x, const float *y, float *sonuc, int n)
{
    __shared__ float warpToplami[WARP_SAYISI];

    const int serit = threadIdx.x % 32;
    const int warp  = threadIdx.x / 32;

    float toplam = 0.f;
    for (int i = blockIdx.x * IPLIK + threadIdx.x; i < n; i += IPLIK * gridDim.x)
        toplam += x[i] * y[i];

    toplam = warpTopla(toplam);
    if (serit == 31)
        warpToplami[warp] = toplam;
    __syncthreads();

    if (warp == 0) {
        toplam = (serit < WARP_SAYISI) ? warpToplami[serit] : 0.f;
        toplam = warpTopla(toplam);
        if (serit == 0)
            atomicAdd(sonuc, toplam);
    }
}

// *sonuc cihazda bir float; 1 <= n <= 1000000000
void hesapla(const float *x, const float *y, float *sonuc, int n)
{
    int blok = (n + IPLIK - 1) / IPLIK;
    if (blok > 512)
        blok = 512;
    cudaMemset(sonuc, 0, sizeof(float));
    icCarpim<<<blok, IPLIK>>>(x, y, sonuc, n);
}
