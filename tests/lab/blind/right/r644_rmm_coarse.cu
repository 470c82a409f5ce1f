// RMM, her iş parçacığı C'nin aynı satırında iki eleman hesaplar.
// Blok: 16x16 iş parçacığı -> C'nin 16 x 32 parçası.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define KARO 16
#define GENIS (2 * KARO)

__global__ void rmm2(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float satir[KARO][KARO];   // A'nın satır çiftlerinin toplamı
    __shared__ float sutun[KARO][GENIS];  // B'nin sütun çiftlerinin toplamı
    const int M2 = m / 2, N2 = n / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * KARO + ty;
    const int j0 = blockIdx.x * GENIS + tx;
    const int j1 = j0 + KARO;
    float t0 = 0.0f, t1 = 0.0f;

    for (int b = 0; b < k; b += KARO) {
        float s = 0.0f, u0 = 0.0f, u1 = 0.0f;
        if (i < M2 && b + tx < k)
            s = A[2 * i * k + b + tx] + A[(2 * i + 1) * k + b + tx];
        if (b + ty < k) {
            const float *br = B + (b + ty) * n;
            if (j0 < N2) u0 = br[2 * j0] + br[2 * j0 + 1];
            if (j1 < N2) u1 = br[2 * j1] + br[2 * j1 + 1];
        }
        satir[ty][tx] = s;
        sutun[ty][tx] = u0;
        sutun[ty][tx + KARO] = u1;
        __syncthreads();

        for (int p = 0; p < KARO; ++p) {
            float a = satir[ty][p];
            t0 += a * sutun[p][tx];
            t1 += a * sutun[p][tx + KARO];
        }
        __syncthreads();
    }
    if (i < M2) {
        if (j0 < N2) C[i * N2 + j0] = t0;
        if (j1 < N2) C[i * N2 + j1] = t1;
    }
}

int main()
{
    const int m = 86, k = 50, n = 134;
    const int M2 = m / 2, N2 = n / 2;
    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * m * k);
    cudaMallocManaged(&B, sizeof(float) * k * n);
    cudaMallocManaged(&C, sizeof(float) * M2 * N2);
    for (int q = 0; q < m * k; ++q) A[q] = (float)(rand() % 7 - 3);
    for (int q = 0; q < k * n; ++q) B[q] = (float)(rand() % 7 - 3);

    dim3 blok(KARO, KARO);
    dim3 izgara((N2 + GENIS - 1) / GENIS, (M2 + KARO - 1) / KARO);
    rmm2<<<izgara, blok>>>(A, B, C, m, k, n);
    cudaDeviceSynchronize();

    int hata = 0;
    for (int i = 0; i < M2; ++i)
        for (int j = 0; j < N2; ++j) {
            float s = 0.0f;
            for (int p = 0; p < k; ++p)
                s += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            if (s != C[i * N2 + j]) ++hata;
        }
    printf("hata sayisi = %d\n", hata);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return hata > 0;
}
