// Odev 2: karolu matris carpimi, 1 boyutlu blok (64 is parcacigi)
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define KARO 8
#define HATA(c) { cudaError_t h = c; if (h != cudaSuccess) { \
    fprintf(stderr, "HATA: %s, satir %d\n", cudaGetErrorString(h), __LINE__); exit(-1); } }

__global__ void carp(const int *A, const int *B, int *C, int m, int n, int k)
{
    __shared__ int a[KARO * KARO];
    __shared__ int b[KARO * KARO];

    int ty = threadIdx.x / KARO;
    int tx = threadIdx.x % KARO;
    int satir = blockIdx.y * KARO + ty;
    int sutun = blockIdx.x * KARO + tx;

    int toplam = 0;
    int karoSayisi = k / KARO;
    for (int t = 0; t < karoSayisi; t++) {
        int ka = t * KARO + tx;
        int kb = t * KARO + ty;
        a[ty * KARO + tx] = (satir < m && ka < k) ? A[satir * k + ka] : 0;
        b[ty * KARO + tx] = (sutun < n && kb < k) ? B[kb * n + sutun] : 0;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < KARO; i++)
            toplam += a[ty * KARO + i] * b[i * KARO + tx];
        __syncthreads();
    }
    if (satir < m && sutun < n)
        C[satir * n + sutun] = toplam;
}

int main()
{
    int m = 45, n = 61, k = 100;
    int *A = new int[m * k], *B = new int[k * n], *C = new int[m * n];
    for (int i = 0; i < m * k; i++) A[i] = rand() % 20 + 1;
    for (int i = 0; i < k * n; i++) B[i] = rand() % 20 + 1;

    int *dA, *dB, *dC;
    HATA(cudaMalloc(&dA, m * k * sizeof(int)));
    HATA(cudaMalloc(&dB, k * n * sizeof(int)));
    HATA(cudaMalloc(&dC, m * n * sizeof(int)));
    HATA(cudaMemcpy(dA, A, m * k * sizeof(int), cudaMemcpyHostToDevice));
    HATA(cudaMemcpy(dB, B, k * n * sizeof(int), cudaMemcpyHostToDevice));

    dim3 izgara((n + KARO - 1) / KARO, (m + KARO - 1) / KARO);
    carp<<<izgara, KARO * KARO>>>(dA, dB, dC, m, n, k);
    HATA(cudaGetLastError());
    HATA(cudaMemcpy(C, dC, m * n * sizeof(int), cudaMemcpyDeviceToHost));

    int yanlis = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
            if (s != C[i * n + j]) yanlis++;
        }
    printf("yanlis: %d\n", yanlis);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return yanlis ? 1 : 0;
}
