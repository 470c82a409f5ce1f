// C = A^T * B, karolu cekirdek (dikdortgen matrisler de olur)
//   A: k satir, m sutun    B: k satir, n sutun    C: m satir, n sutun
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define KARO 32

__global__ void karoluDevrik(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float aKaro[KARO][KARO];   // aKaro[p][i]
    __shared__ float bKaro[KARO][KARO];   // bKaro[p][j]

    int tx = threadIdx.x, ty = threadIdx.y;
    int satirBas = blockIdx.y * KARO;
    int satir = satirBas + ty;
    int sutun = blockIdx.x * KARO + tx;
    float toplam = 0.0f;

    for (int bas = 0; bas < k; bas += KARO) {
        int p = bas + ty;
        aKaro[ty][tx] = 0.0f;
        bKaro[ty][tx] = 0.0f;
        if (p < k && satirBas + tx < m)
            aKaro[ty][tx] = A[(size_t)p * k + satirBas + tx];
        if (p < k && sutun < n)
            bKaro[ty][tx] = B[(size_t)p * n + sutun];
        __syncthreads();

        for (int q = 0; q < KARO; q++)
            toplam += aKaro[q][ty] * bKaro[q][tx];
        __syncthreads();
    }

    if (satir < m && sutun < n)
        C[(size_t)satir * n + sutun] = toplam;
}

int main()
{
    int m = 120, n = 200, k = 75;
    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * k * m);
    cudaMallocManaged(&B, sizeof(float) * k * n);
    cudaMallocManaged(&C, sizeof(float) * m * n);
    for (int i = 0; i < k * m; i++) A[i] = (float)(rand() % 10);
    for (int i = 0; i < k * n; i++) B[i] = (float)(rand() % 10);

    dim3 blok(KARO, KARO);
    dim3 izgara((n + KARO - 1) / KARO, (m + KARO - 1) / KARO);
    karoluDevrik<<<izgara, blok>>>(A, B, C, m, n, k);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("cekirdek hatasi\n");
        return 1;
    }

    int yanlis = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float t = 0.0f;
            for (int p = 0; p < k; p++) t += A[p * m + i] * B[p * n + j];
            if (t != C[i * n + j]) yanlis++;
        }
    printf("%d yanlis\n", yanlis);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return yanlis > 0;
}
