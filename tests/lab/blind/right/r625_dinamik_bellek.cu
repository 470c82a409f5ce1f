// Dinamik paylaşımlı bellek ile matris çarpımı; karo boyu çalışma anında seçilir (8, 16, 32)
// Matrisler daha büyük matrislerin parçası olabilir: lda, ldb, ldc satır adımlarıdır.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

extern __shared__ float bellek[];

__global__ void __launch_bounds__(1024)
carpim(const float *A, int lda, const float *B, int ldb, float *C, int ldc,
                       int M, int N, int K)
{
    const int T = blockDim.x;            // blok kare: T x T
    float *karoA = bellek;
    float *karoB = bellek + T * T;

    const int x = threadIdx.x, y = threadIdx.y;
    const int satir = blockIdx.y * T + y;
    const int sutun = blockIdx.x * T + x;

    float toplam = 0.0f;
    for (int bas = 0; bas < K; bas += T) {
        float a = 0.0f, b = 0.0f;
        if (satir < M && bas + x < K) a = A[(size_t)satir * lda + bas + x];
        if (bas + y < K && sutun < N) b = B[(size_t)(bas + y) * ldb + sutun];
        karoA[y * T + x] = a;
        karoB[y * T + x] = b;
        __syncthreads();

        int son = K - bas < T ? K - bas : T;
        for (int k = 0; k < son; k++)
            toplam += karoA[y * T + k] * karoB[k * T + x];
        __syncthreads();
    }
    if (satir < M && sutun < N)
        C[(size_t)satir * ldc + sutun] = toplam;
}

#define KONTROL(ifade)                                                        \
    {                                                                         \
        cudaError_t h = (ifade);                                              \
        if (h != cudaSuccess) {                                               \
            printf("Hata: %s (satir %d)\n", cudaGetErrorString(h), __LINE__); \
            return 1;                                                         \
        }                                                                     \
    }

int main()
{
    const int M = 70, N = 45, K = 101;
    const int lda = 112, ldb = 48, ldc = 50;

    float *hA = (float *)calloc(M * lda, sizeof(float));
    float *hB = (float *)calloc(K * ldb, sizeof(float));
    float *hC = (float *)calloc(M * ldc, sizeof(float));
    for (int i = 0; i < M * lda; i++) hA[i] = (float)((i * 7) % 11) - 5.0f;
    for (int i = 0; i < K * ldb; i++) hB[i] = (float)((i * 5) % 13) - 6.0f;

    float *dA, *dB, *dC;
    KONTROL(cudaMalloc(&dA, M * lda * sizeof(float)));
    KONTROL(cudaMalloc(&dB, K * ldb * sizeof(float)));
    KONTROL(cudaMalloc(&dC, M * ldc * sizeof(float)));
    KONTROL(cudaMemcpy(dA, hA, M * lda * sizeof(float), cudaMemcpyHostToDevice));
    KONTROL(cudaMemcpy(dB, hB, K * ldb * sizeof(float), cudaMemcpyHostToDevice));

    for (int T = 8; T <= 32; T *= 2) {
        KONTROL(cudaMemset(dC, 0, M * ldc * sizeof(float)));
        dim3 blok(T, T);
        dim3 izgara((N + T - 1) / T, (M + T - 1) / T);
        size_t bayt = 2 * (size_t)T * T * sizeof(float);
        carpim<<<izgara, blok, bayt>>>(dA, lda, dB, ldb, dC, ldc, M, N, K);
        KONTROL(cudaGetLastError());
        KONTROL(cudaMemcpy(hC, dC, M * ldc * sizeof(float), cudaMemcpyDeviceToHost));

        int yanlis = 0;
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float s = 0.0f;
                for (int k = 0; k < K; k++) s += hA[i * lda + k] * hB[k * ldb + j];
                if (fabsf(s - hC[i * ldc + j]) > 0.01f) yanlis++;
            }
        printf("T = %2d: %d yanlis\n", T, yanlis);
    }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
