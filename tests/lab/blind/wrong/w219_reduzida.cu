#include <cstdio>
#include <cuda_runtime.h>

#define LADO 16

// multiplicação reduzida inteira, m e n pares
__global__ void reduzidaInt(const int *A, const int *B, int *C, int m, int n, int p)
{
    __shared__ int pa[LADO][LADO];
    __shared__ int pb[LADO][LADO];
    int m2 = m / 2, n2 = n / 2;
    int i = blockIdx.y * LADO + threadIdx.y;
    int j = blockIdx.x * LADO + threadIdx.x;
    int soma = 0;

    for (int k0 = 0; k0 < p; k0 += LADO) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        pa[threadIdx.y][threadIdx.x] = (i < m2 && ka < p) ? A[2 * i * p + ka] + A[(2 * i + 1) * p + ka] : 0;
        pb[threadIdx.y][threadIdx.x] = (j < n2 && kb < p) ? B[kb * n + 2 * j] + B[kb * n + 2 * j + 1] : 0;
        __syncthreads();
        if (i < m2 && j < n2) {
            for (int k = 0; k < LADO; k++)
                soma += pa[threadIdx.y][k] * pb[k][threadIdx.x];
            __syncthreads();
        }
    }
    if (i < m2 && j < n2)
        C[i * n2 + j] = soma;
}

int main()
{
    int m = 50, n = 70, p = 64;
    int *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(int));
    cudaMallocManaged(&B, p * n * sizeof(int));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(int));
    for (int i = 0; i < m * p; i++) A[i] = i % 5;
    for (int i = 0; i < p * n; i++) B[i] = i % 6;
    dim3 grade((n / 2 + LADO - 1) / LADO, (m / 2 + LADO - 1) / LADO);
    reduzidaInt<<<grade, dim3(LADO, LADO)>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("%d\n", C[0]);
    return 0;
}
