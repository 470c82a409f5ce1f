// Ödev 2: matris devriği (transpoz)
// giris: satir x sutun, cikis: sutun x satir (ikisi de satır düzeninde, satir <= 2097120).
// Karo 32 x 32, blok 32 x 8; her iş parçacığı 4 eleman taşır.
// Paylaşılan bellekte banka çakışması olmasın diye bir sütun fazladan ayrılır.
//
// Çağrı:
//   dim3 blok(KARO, BLOK_SATIR);
//   dim3 izgara((sutun + KARO - 1) / KARO, (satir + KARO - 1) / KARO);
//   devrik<double><<<izgara, blok>>>(d_giris, d_cikis, satir, sutun);
#include <cuda_runtime.h>

constexpr int KARO = 32;
constexpr int BLOK_SATIR = 8;

template <class Tip>
__global__ void devrik(const Tip* __restrict__ giris, Tip* __restrict__ cikis,
                       int satir, int sutun)
{
    __shared__ Tip karo[KARO][KARO + 1];

    int x = blockIdx.x * KARO + threadIdx.x;   // girişteki sütun
    int y = blockIdx.y * KARO + threadIdx.y;   // girişteki satır

    for (int j = 0; j < KARO; j += BLOK_SATIR)
        if (x < sutun && y + j < satir)
            karo[threadIdx.y + j][threadIdx.x] = giris[(size_t)(y + j) * sutun + x];

    __syncthreads();

    x = blockIdx.y * KARO + threadIdx.x;       // çıkıştaki sütun = girişteki satır
    y = blockIdx.x * KARO + threadIdx.y;       // çıkıştaki satır = girişteki sütun

    for (int j = 0; j < KARO; j += BLOK_SATIR)
        if (x < satir && y + j < sutun)
            cikis[(size_t)(y + j) * satir + x] = karo[threadIdx.x][threadIdx.y + j];
}

template __global__ void devrik<float>(const float*, float*, int, int);
template __global__ void devrik<double>(const double*, double*, int, int);
