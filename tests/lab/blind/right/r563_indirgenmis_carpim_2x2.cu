/* Ödev 3, soru 2: indirgenmiş çarpım
 *
 * P = A*B çarpımının her 2x2'lik bloğunun toplamı C'nin bir elemanıdır.
 * A: m x k, B: k x n, C: (m/2) x (n/2). m ve n çift olmalı, k serbest.
 *
 * Her iş parçacığı P'nin kendi 2x2 bloğunu yazmaçlarda hesaplar.
 * Blok: dim3(D, D)
 * Izgara: dim3((n/2 + D - 1)/D, (m/2 + D - 1)/D)
 */
#include <cuda_runtime.h>

#define D 16

__global__ void indirgenmis_carpim(const double *A, const double *B, double *C,
                                   int m, int k, int n)
{
    __shared__ double As[2 * D][D];
    __shared__ double Bs[D][2 * D];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int satir0 = blockIdx.y * 2 * D;      // A'da karonun ilk satırı
    const int sutun0 = blockIdx.x * 2 * D;      // B'de karonun ilk sütunu

    double p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int k0 = 0; k0 < k; k0 += D) {
        // her iş parçacığı A'dan iki, B'den iki eleman yükler
        for (int h = 0; h < 2; ++h) {
            int r = satir0 + ty + h * D;
            int c = sutun0 + tx + h * D;
            As[ty + h * D][tx] = (r < m && k0 + tx < k) ? A[(size_t)r * k + k0 + tx] : 0.0;
            Bs[ty][tx + h * D] = (k0 + ty < k && c < n) ? B[(size_t)(k0 + ty) * n + c] : 0.0;
        }
        __syncthreads();

        for (int q = 0; q < D; ++q) {
            double a0 = As[2 * ty][q];
            double a1 = As[2 * ty + 1][q];
            double b0 = Bs[q][2 * tx];
            double b1 = Bs[q][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * D + ty;
    const int j = blockIdx.x * D + tx;
    if (i < m / 2 && j < n / 2)
        C[(size_t)i * (n / 2) + j] = (p00 + p01) + (p10 + p11);
}
