// Katman normalizasyonu: her satir icin
//   y = (x - ortalama) / sqrt(varyans + eps) * kazanc + sapma
// Her satiri bir warp isler; blok basina SATIR_BLOK satir.
// satir >= 1, sutun >= 1.
#include <cuda_runtime.h>

#define WARP 32
#define SATIR_BLOK 4
#define TAM_MASKE 0xffffffffu

__device__ inline float warpTopla(float v)
{
    for (int k = WARP / 2; k > 0; k >>= 1)
        v += __shfl_xor_sync(TAM_MASKE, v, k);
    return v;
}

__global__ void katmanNormu(const float *x, const float *kazanc, const float *sapma,
                            float *y, int satir, int sutun, float eps)
{
    const int serit = threadIdx.x % WARP;
    const int s = blockIdx.x * SATIR_BLOK + threadIdx.x / WARP;
    if (s >= satir)
        return;

    const float *xs = x + (size_t)s * sutun;
    float *ys = y + (size_t)s * sutun;

    float toplam = 0.0f;
    for (int j = serit; j < sutun; j += WARP)
        toplam += xs[j];
    const float ortalama = warpTopla(toplam) * (1 / sutun);

    float kareler = 0.0f;
    for (int j = serit; j < sutun; j += WARP) {
        const float fark = xs[j] - ortalama;
        kareler += fark * fark;
    }
    const float varyans = warpTopla(kareler) / sutun;
    const float olcek = rsqrtf(varyans + eps);

    for (int j = serit; j < sutun; j += WARP)
        ys[j] = (xs[j] - ortalama) * olcek * kazanc[j] + sapma[j];
}

// Butun isaretciler aygit bellegini gosterir.
cudaError_t katmanNormuCalistir(const float *x, const float *kazanc, const float *sapma,
                                float *y, int satir, int sutun, float eps)
{
    const int blok = (satir + SATIR_BLOK - 1) / SATIR_BLOK;
    katmanNormu<<<blok, SATIR_BLOK * WARP>>>(x, kazanc, sapma, y, satir, sutun, eps);
    return cudaGetLastError();
}
