// Odev 3: yarim duyarlikli (half) iki vektorun ic carpimi
// Carpma ve toplama float ile yapilir, cunku half toplamda cabuk tasiyor.
// - x ve y cudaMalloc ile ayrilmis olmali (half2 okumasi icin 4 bayt hizali)
// - *sonuc cekirdekten once sifirlanmali (cudaMemset)
// - n herhangi bir sayi olabilir, tek sayi da olur
// - blockDim.x = BLOK_BOYU, izgara boyutu serbest (grid-stride)
#include <cuda_runtime.h>
#include <cuda_fp16.h>

constexpr unsigned TUM_WARP = 0xffffffffu;
constexpr int BLOK_BOYU = 192;
constexpr int WARP_SAYISI = BLOK_BOYU / 32;

__device__ __forceinline__ float ciftCarp(__half2 a, __half2 b)
{
    float2 fa = __half22float2(a);
    float2 fb = __half22float2(b);
    return fa.x * fb.x + fa.y * fb.y;
}

__global__ void icCarpim(const __half *x, const __half *y, float *sonuc, int n)
{
    __shared__ float warpToplam[WARP_SAYISI];

    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    const __half2 *y2 = reinterpret_cast<const __half2 *>(y);
    const int ciftSayisi = n / 2;

    int kimlik = blockIdx.x * blockDim.x + threadIdx.x;
    int adim = gridDim.x * blockDim.x;

    float t = 0.f;
    for (int i = kimlik; i < ciftSayisi; i += adim)
        t += ciftCarp(x2[i], y2[i]);

    // n tek ise sona kalan elemani yalniz bir is parcacigi ekler
    if ((n & 1) && kimlik == 0)
        t += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    for (int k = 16; k > 0; k >>= 1)
        t += __shfl_down_sync(TUM_WARP, t, k);

    if ((threadIdx.x & 31) == 0)
        warpToplam[threadIdx.x >> 5] = t;
    __syncthreads();

    // alti warp var, toplamayi bir is parcacigi yapsin yeter
    if (threadIdx.x == 0) {
        float blokToplam = 0.f;
        for (int w = 0; w < WARP_SAYISI; w++)
            blokToplam += warpToplam[w];
        atomicAdd(sonuc, blokToplam);
    }
}
