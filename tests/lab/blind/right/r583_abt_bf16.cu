#include <cuda_runtime.h>
#include <cuda_bf16.h>

// C = A * B^T
// A: m x k (bf16), B: n x k (bf16), C: m x n (float), hepsi satir oncelikli
// Blok 16x16; izgara: x -> sutunlar (n), y -> satirlar (m), yukari yuvarlanmis.
// Toplam float olarak tutulur, bf16 yeterli degil.

#define KARO 16

typedef __nv_bfloat16 bf16;

__device__ inline float oku(const bf16 *M, int satir, int sutun, int satirSayisi, int sutunSayisi)
{
    if (satir < satirSayisi && sutun < sutunSayisi)
        return __bfloat162float(M[satir * sutunSayisi + sutun]);
    return 0.0f;
}

__global__ void carpABt(const bf16 *A, const bf16 *B, float *C, int m, int n, int k)
{
    // +1: banka cakismasi olmasin
    __shared__ float sa[KARO][KARO + 1];
    __shared__ float sb[KARO][KARO + 1];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int satir = blockIdx.y * KARO + y;
    int sutun = blockIdx.x * KARO + x;

    float toplam = 0.0f;
    int karoSayisi = (k + KARO - 1) / KARO;

    for (int t = 0; t < karoSayisi; t++)
    {
        sa[y][x] = oku(A, satir, t * KARO + x, m, k);
        // B'nin satirlari C'nin sutunlaridir
        sb[y][x] = oku(B, blockIdx.x * KARO + y, t * KARO + x, n, k);
        __syncthreads();

        for (int i = 0; i < KARO; i++)
            toplam += sa[y][i] * sb[x][i];
        __syncthreads();
    }

    if (satir < m && sutun < n)
        C[satir * n + sutun] = toplam;
}
