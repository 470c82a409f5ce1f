// Proje 1: indirgenmiş matris çarpımı
// C[i][j] = Σ_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// m ve n çift olmalı, k serbest.
#include <cuda_runtime.h>
#include <stdio.h>

#define GENISLIK   32
#define YUKSEKLIK  8
#define DERINLIK   32

__global__ void indirgenmisCarpim(const double *A, const double *B, double *C,
                                  int m, int n, int k)
{
    __shared__ double Ak[YUKSEKLIK][DERINLIK];
    __shared__ double Bk[DERINLIK][GENISLIK];

    int satirlar = m / 2, sutunlar = n / 2;
    int i = blockIdx.y * YUKSEKLIK + threadIdx.y;
    int j = blockIdx.x * GENISLIK + threadIdx.x;

    double t = 0.0;
    for (int k0 = 0; k0 < k; k0 += DERINLIK) {
        int p = k0 + threadIdx.x;
        Ak[threadIdx.y][threadIdx.x] = 0.0;
        if (i < satirlar && p < k)
            Ak[threadIdx.y][threadIdx.x] = A[(2 * i) * k + p] + A[(2 * i + 1) * k + p];

        for (int r = threadIdx.y; r < DERINLIK; r += YUKSEKLIK) {
            double b = 0.0;
            if (k0 + r < k && j < sutunlar)
                b = B[(k0 + r) * n + 2 * j] + B[(k0 + r) * n + 2 * j + 1];
            Bk[r][threadIdx.x] = b;
        }
        __syncthreads();

        for (int q = 0; q < DERINLIK; q++)
            t += Ak[threadIdx.y][q] * Bk[q][threadIdx.x];
        __syncthreads();
    }

    if (i < satirlar && j < sutunlar)
        C[i * sutunlar + j] = t;
}

// A, B, C cihaz belleğinde. Başarılıysa true döner.
bool indirgenmis(const double *A, const double *B, double *C, int m, int n, int k)
{
    if (m % 2 || n % 2) {
        fprintf(stderr, "m ve n cift olmali\n");
        return false;
    }
    dim3 blok(GENISLIK, YUKSEKLIK);
    int gx = (n / 2) / GENISLIK;
    int gy = ((m / 2) + YUKSEKLIK - 1) / YUKSEKLIK;
    if (gx < 1) gx = 1;      // küçük matrisler için en az bir blok
    dim3 izgara(gx, gy);
    indirgenmisCarpim<<<izgara, blok>>>(A, B, C, m, n, k);
    return cudaDeviceSynchronize() == cudaSuccess;
}
