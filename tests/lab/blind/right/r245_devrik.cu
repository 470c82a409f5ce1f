// Odev 3: C = A^T * B  (karo yok, izgara adimli dongu)
// A: k x m, B: k x n, C: m x n -- hepsi satir sirali
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define KONTROL(cagri)                                                     \
    do {                                                                   \
        cudaError_t hata_ = (cagri);                                       \
        if (hata_ != cudaSuccess) {                                        \
            printf("Satir %d: %s\n", __LINE__, cudaGetErrorString(hata_)); \
            exit(EXIT_FAILURE);                                            \
        }                                                                  \
    } while (0)

__global__ void devrikCarpim(const int *A, const int *B, long long *C, int m, int n, int k)
{
    long long satirAdim = (long long)gridDim.y * blockDim.y;
    long long sutunAdim = (long long)gridDim.x * blockDim.x;

    for (long long satir = (long long)blockIdx.y * blockDim.y + threadIdx.y; satir < m; satir += satirAdim) {
        for (long long sutun = (long long)blockIdx.x * blockDim.x + threadIdx.x; sutun < n; sutun += sutunAdim) {
            long long toplam = 0;
            for (long long p = 0; p < k; p++) {
                toplam += (long long)A[p * m + satir] * B[p * n + sutun];
            }
            C[satir * n + sutun] = toplam;
        }
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 130;
    int n = argc > 2 ? atoi(argv[2]) : 95;
    int k = argc > 3 ? atoi(argv[3]) : 61;
    if (m < 1 || n < 1 || k < 1) {
        printf("Boyutlar pozitif olmali\n");
        return 1;
    }

    size_t boyA = (size_t)k * m * sizeof(int);
    size_t boyB = (size_t)k * n * sizeof(int);
    size_t boyC = (size_t)m * n * sizeof(long long);
    int *hA = (int *)malloc(boyA);
    int *hB = (int *)malloc(boyB);
    long long *hC = (long long *)malloc(boyC);
    if (!hA || !hB || !hC) return 1;
    for (size_t i = 0; i < (size_t)k * m; i++) hA[i] = rand() % 21 - 10;
    for (size_t i = 0; i < (size_t)k * n; i++) hB[i] = rand() % 21 - 10;

    int *dA, *dB;
    long long *dC;
    KONTROL(cudaMalloc((void **)&dA, boyA));
    KONTROL(cudaMalloc((void **)&dB, boyB));
    KONTROL(cudaMalloc((void **)&dC, boyC));
    KONTROL(cudaMemcpy(dA, hA, boyA, cudaMemcpyHostToDevice));
    KONTROL(cudaMemcpy(dB, hB, boyB, cudaMemcpyHostToDevice));

    dim3 blok(32, 4);
    dim3 izgara(4, 16);   // sabit izgara yeter: cekirdek adimlayarak ilerler
    devrikCarpim<<<izgara, blok>>>(dA, dB, dC, m, n, k);
    KONTROL(cudaGetLastError());
    KONTROL(cudaMemcpy(hC, dC, boyC, cudaMemcpyDeviceToHost));

    size_t yanlis = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            long long t = 0;
            for (int p = 0; p < k; p++) t += (long long)hA[(size_t)p * m + i] * hB[(size_t)p * n + j];
            if (t != hC[(size_t)i * n + j]) yanlis++;
        }
    printf("yanlis eleman: %zu\n", yanlis);

    KONTROL(cudaFree(dA));
    KONTROL(cudaFree(dB));
    KONTROL(cudaFree(dC));
    free(hA);
    free(hB);
    free(hC);
    return yanlis != 0;
}
