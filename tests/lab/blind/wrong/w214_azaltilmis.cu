#include <cstdio>
#include <cuda_runtime.h>

// Azaltilmis carpim: her is parcacigi P'nin bir elemanini hesaplar
// ve C'nin ilgili elemanina ekler (C onceden sifirlanir)
__global__ void azaltilmis(const float *A, const float *B, float *C, int m, int n, int p)
{
    int satir = blockIdx.y * blockDim.y + threadIdx.y;
    int sutun = blockIdx.x * blockDim.x + threadIdx.x;

    if (satir < m && sutun < n) {
        float carpim = 0.0f;
        for (int k = 0; k < p; k++)
            carpim += A[satir * p + k] * B[k * n + sutun];

        int hedef = (satir / 2) * (n / 2) + sutun / 2;
        C[hedef] += carpim;
    }
}

int main()
{
    const int m = 32, n = 24, p = 16;      // m ve n cift
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; i++) A[i] = 1.0f;
    for (int i = 0; i < p * n; i++) B[i] = 1.0f;
    cudaMemset(C, 0, (m / 2) * (n / 2) * sizeof(float));

    dim3 blok(16, 16);
    dim3 izgara((n + 15) / 16, (m + 15) / 16);
    azaltilmis<<<izgara, blok>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("%f\n", C[0]);
    return 0;
}
