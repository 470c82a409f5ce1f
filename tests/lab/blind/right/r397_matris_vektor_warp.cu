// y = alfa * A * x + beta * y      (satır öncelikli A, m x n, satır adımı lda >= n)
// Her satırı bir warp hesaplar. Hizalama uygunsa float4 ile okunur,
// kalan elemanlar tek tek toplanır. Blok boyutu (32, SATIR_BLOK) olmalı.
// beta = 0 ise y okunmaz. m ve n herhangi bir değer olabilir.

#include <cuda_runtime.h>
#include <cstdint>

#define SATIR_BLOK 8

__global__ void matrisVektor(const float *A, int lda, const float *x, float *y,
                             int m, int n, float alfa, float beta)
{
    const int serit = threadIdx.x;                               // 0..31
    const int satir = blockIdx.x * SATIR_BLOK + threadIdx.y;     // warp boyunca aynı

    if (satir >= m)
        return;          // bütün warp birlikte çıkar, blok senkronu kullanılmıyor

    const float *a = A + (size_t)satir * lda;
    float toplam = 0.0f;
    int basla = 0;

    const bool hizali = (((uintptr_t)a | (uintptr_t)x) & 15) == 0;
    if (hizali) {
        const float4 *a4 = (const float4 *)a;
        const float4 *x4 = (const float4 *)x;
        const int n4 = n / 4;
        for (int j = serit; j < n4; j += 32) {
            const float4 p = a4[j];
            const float4 q = x4[j];
            toplam += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        }
        basla = n4 * 4;
    }
    for (int j = basla + serit; j < n; j += 32)      // kuyruk (ya da hizasız satır)
        toplam += a[j] * x[j];

    for (int d = 16; d >= 1; d /= 2)
        toplam += __shfl_xor_sync(0xffffffff, toplam, d);

    if (serit == 0)
        y[satir] = (beta == 0.0f) ? alfa * toplam : alfa * toplam + beta * y[satir];
}

void matrisVektorCagir(const float *dA, int lda, const float *dx, float *dy,
                       int m, int n, float alfa, float beta)
{
    if (m <= 0) return;
    dim3 blok(32, SATIR_BLOK);
    int izgara = (m + SATIR_BLOK - 1) / SATIR_BLOK;
    matrisVektor<<<izgara, blok>>>(dA, lda, dx, dy, m, n, alfa, beta);
}
