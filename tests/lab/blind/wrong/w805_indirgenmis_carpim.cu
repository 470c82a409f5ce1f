/* İndirgenmiş çarpım: C[i][j] = (A*B)'nin (2i,2j), (2i,2j+1), (2i+1,2j), (2i+1,2j+1)
   elemanlarının toplamı. A: 2m x p, B: p x 2n, C: m x n (satır düzeni).
   m, n, p: 1 ile 12000 arası, özel bir kat olması gerekmez. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define GEN 32
#define YUK 8

__global__ void indirgenmis(const float *A, const float *B, float *C, int m, int n, int p)
{
    __shared__ float sb[GEN][GEN];      /* B'nin sütun çiftlerinin toplamı */
    int tx = threadIdx.x, ty = threadIdx.y;
    int satir = blockIdx.y * YUK + ty;
    int sutun = blockIdx.x * GEN + tx;
    int icinde = satir < m && sutun < n;
    const float *ust = A + (size_t)2 * satir * p;
    const float *alt = ust + p;
    float toplam = 0.0f;

    if (!icinde) return;

    for (int k0 = 0; k0 < p; k0 += GEN) {
        int adet = min(GEN, p - k0);
        for (int q = ty; q < adet; q += YUK) {
            const float *b = B + (size_t)(k0 + q) * 2 * n + 2 * sutun;
            sb[q][tx] = sutun < n ? b[0] + b[1] : 0.0f;
        }
        __syncthreads();
        if (icinde)
            for (int q = 0; q < adet; q++)
                toplam += (ust[k0 + q] + alt[k0 + q]) * sb[q][tx];
        __syncthreads();
    }
    if (icinde)
        C[(size_t)satir * n + sutun] = toplam;
}

int main(void)
{
    int m = 101, n = 75, p = 210, hata = 0;
    float *A, *B, *C;
    cudaMallocManaged(&A, 2 * m * p * sizeof(float));
    cudaMallocManaged(&B, 2 * n * p * sizeof(float));
    cudaMallocManaged(&C, m * n * sizeof(float));
    for (int i = 0; i < 2 * m * p; i++) A[i] = (float)(i % 5 - 2);
    for (int i = 0; i < 2 * n * p; i++) B[i] = (float)(i % 3 - 1);

    dim3 blok(GEN, YUK);
    dim3 izgara((n + GEN - 1) / GEN, (m + YUK - 1) / YUK);
    indirgenmis<<<izgara, blok>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();

    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    for (int k = 0; k < p; k++)
                        s += A[(2 * i + r) * p + k] * B[k * 2 * n + 2 * j + c];
            if (s != C[i * n + j]) hata++;
        }
    printf("hatali eleman: %d\n", hata);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
