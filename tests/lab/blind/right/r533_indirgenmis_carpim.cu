// Ödev 5: indirgenmiş matris çarpımı
//   C[i][j] = toplam_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
//   A: m x k, B: k x n, C: m/2 x n/2     (m ve n çift olmalı, k serbest)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KARO 16
#define YARI (KARO / 2)   // blok 16 x 8, her iş parçacığı iki satır hesaplar

__global__ void indirgenmisCarpim(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float sA[KARO][KARO];
    __shared__ float sB[KARO][KARO];

    const int satirSayisi = m / 2, sutunSayisi = n / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int satir0 = blockIdx.y * KARO;
    const int sutun = blockIdx.x * KARO + tx;
    float t0 = 0.0f, t1 = 0.0f;

    for (int b = 0; b < k; b += KARO) {
        for (int h = 0; h < 2; ++h) {
            const int y = ty + h * YARI;
            // toplamlar yükleme sırasında alınır, ortak bellekte yalnız toplam durur
            const int i = satir0 + y, ka = b + tx;
            float a = 0.0f;
            if (i < satirSayisi && ka < k)
                a = A[(2 * i) * k + ka] + A[(2 * i + 1) * k + ka];
            sA[y][tx] = a;

            const int kb = b + y;
            float2 v = make_float2(0.0f, 0.0f);
            if (kb < k && sutun < sutunSayisi)   // n çift: float2 hizalı
                v = *reinterpret_cast<const float2 *>(&B[kb * n + 2 * sutun]);
            sB[y][tx] = v.x + v.y;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < KARO; ++q) {
            const float bq = sB[q][tx];
            t0 += sA[ty][q] * bq;
            t1 += sA[ty + YARI][q] * bq;
        }
        __syncthreads();
    }

    const int i0 = satir0 + ty, i1 = i0 + YARI;
    if (sutun < sutunSayisi) {
        if (i0 < satirSayisi) C[i0 * sutunSayisi + sutun] = t0;
        if (i1 < satirSayisi) C[i1 * sutunSayisi + sutun] = t1;
    }
}

int main(int argc, char **argv)
{
    int m = 70, n = 102, k = 45;
    if (argc > 3) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }
    if (m < 2 || n < 2 || k < 1 || m % 2 || n % 2 || m > 20000 || n > 20000 || k > 20000) {
        printf("m ve n pozitif ve cift, k pozitif olmali (en fazla 20000)\n");
        return 1;
    }
    const int cm = m / 2, cn = n / 2;
    std::vector<float> A(m * k), B(k * n), C(cm * cn);
    for (float &v : A) v = rand() / (float)RAND_MAX - 0.5f;
    for (float &v : B) v = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, A.size() * sizeof(float));
    cudaMalloc((void **)&dB, B.size() * sizeof(float));
    cudaMalloc((void **)&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(KARO, YARI);
    dim3 izgara((cn + KARO - 1) / KARO, (cm + KARO - 1) / KARO);
    indirgenmisCarpim<<<izgara, blok>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int hata = 0;
    for (int i = 0; i < cm; ++i)
        for (int j = 0; j < cn; ++j) {
            double s = 0;
            for (int q = 0; q < k; ++q)
                s += ((double)A[2 * i * k + q] + A[(2 * i + 1) * k + q]) *
                     ((double)B[q * n + 2 * j] + B[q * n + 2 * j + 1]);
            if (std::fabs(s - C[i * cn + j]) > 1e-3) ++hata;
        }
    printf("%s (%d hata)\n", hata ? "YANLIS" : "DOGRU", hata);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return hata != 0;
}
