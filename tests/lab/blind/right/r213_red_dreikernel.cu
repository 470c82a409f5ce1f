#include <cstdio>
#include <cuda_runtime.h>

#define K_GR 16

// Paarsummen der Zeilen von A: (m x p) -> (m/2 x p)
__global__ void zeilenPaare(const float *A, float *AS, int m2, int p)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < m2 * p) {
        int i = idx / p, k = idx % p;
        AS[idx] = A[2 * i * p + k] + A[(2 * i + 1) * p + k];
    }
}

// Paarsummen der Spalten von B: (p x n) -> (p x n/2)
__global__ void spaltenPaare(const float *B, float *BS, int p, int n2)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < p * n2)
        BS[idx] = B[2 * idx] + B[2 * idx + 1];
}

__global__ void produkt(const float *X, const float *Y, float *C, int m2, int n2, int p)
{
    __shared__ float kx[K_GR][K_GR], ky[K_GR][K_GR];
    int i = blockIdx.y * K_GR + threadIdx.y;
    int j = blockIdx.x * K_GR + threadIdx.x;
    float s = 0;
    for (int k0 = 0; k0 < p; k0 += K_GR) {
        kx[threadIdx.y][threadIdx.x] = (i < m2 && k0 + threadIdx.x < p) ? X[i * p + k0 + threadIdx.x] : 0;
        ky[threadIdx.y][threadIdx.x] = (j < n2 && k0 + threadIdx.y < p) ? Y[(k0 + threadIdx.y) * n2 + j] : 0;
        __syncthreads();
        for (int k = 0; k < K_GR; k++) s += kx[threadIdx.y][k] * ky[k][threadIdx.x];
        __syncthreads();
    }
    if (i < m2 && j < n2) C[i * n2 + j] = s;
}

int main()
{
    int m = 60, n = 44, p = 35, m2 = m / 2, n2 = n / 2;
    float *A, *B, *AS, *BS, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&AS, m2 * p * sizeof(float));
    cudaMallocManaged(&BS, p * n2 * sizeof(float));
    cudaMallocManaged(&C, m2 * n2 * sizeof(float));
    for (int i = 0; i < m * p; i++) A[i] = i % 3;
    for (int i = 0; i < p * n; i++) B[i] = i % 7;
    zeilenPaare<<<(m2 * p + 255) / 256, 256>>>(A, AS, m2, p);
    spaltenPaare<<<(p * n2 + 255) / 256, 256>>>(B, BS, p, n2);
    dim3 gitter((n2 + K_GR - 1) / K_GR, (m2 + K_GR - 1) / K_GR);
    produkt<<<gitter, dim3(K_GR, K_GR)>>>(AS, BS, C, m2, n2, p);
    cudaDeviceSynchronize();
    printf("%f\n", C[m2 * n2 - 1]);
    return 0;
}
