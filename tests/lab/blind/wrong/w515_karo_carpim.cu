// Ödev 3: karolu matris çarpımı (C = A * B), n x n kare matrisler
// n herhangi bir pozitif sayı olabilir.
//
// Çağrı:  dim3 blok(KARO, KARO);
//         dim3 izgara((n + KARO - 1) / KARO, (n + KARO - 1) / KARO);
#include <cuda_runtime.h>

#define KARO 32

__global__ void karoluCarpim(const float *A, const float *B, float *C, int n)
{
    __shared__ float karoA[KARO][KARO];
    __shared__ float karoB[KARO][KARO];

    int sutun = blockIdx.x * KARO + threadIdx.x;
    int satir = blockIdx.y * KARO + threadIdx.y;
    float toplam = 0.0f;

    for (int baslangic = 0; baslangic < n; baslangic += KARO)
    {
        int k1 = baslangic + threadIdx.x;
        int k2 = baslangic + threadIdx.y;

        karoA[threadIdx.y][threadIdx.x] = 0.0f;
        karoB[threadIdx.y][threadIdx.x] = 0.0f;
        if (satir < n && k1 < n)
            karoA[threadIdx.y][threadIdx.x] = A[satir * n + k1];
        if (k2 < n && sutun < n)
            karoB[threadIdx.y][threadIdx.x] = B[k2 * n + sutun];

        // bütün iplikler yüklemeyi bitirsin
        __syncthreads();

        for (int k = 0; k < KARO; k++)
            toplam += karoA[threadIdx.y][k] * karoB[k][threadIdx.x];
    }

    if (satir < n && sutun < n)
        C[satir * n + sutun] = toplam;
}
