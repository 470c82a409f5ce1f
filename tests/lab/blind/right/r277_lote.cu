// Multiplicação de matrizes em lote (batched), memória gerenciada
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define LADO 8

struct Dim {
    int m, n, k;
    int lote;
};

__global__ void multiplicaLote(const float *A, const float *B, float *C, Dim d)
{
    __shared__ float a[LADO][LADO], b[LADO][LADO];
    const float *Ab = A + (size_t)blockIdx.z * d.m * d.k;
    const float *Bb = B + (size_t)blockIdx.z * d.k * d.n;
    float *Cb = C + (size_t)blockIdx.z * d.m * d.n;

    int lin = blockIdx.y * LADO + threadIdx.y;
    int col = blockIdx.x * LADO + threadIdx.x;
    float soma = 0.0f;

    for (int fase = 0; fase < (d.k - 1) / LADO + 1; fase++) {
        int ka = fase * LADO + threadIdx.x;
        int kb = fase * LADO + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = lin < d.m && ka < d.k ? Ab[lin * d.k + ka] : 0.0f;
        b[threadIdx.y][threadIdx.x] = kb < d.k && col < d.n ? Bb[kb * d.n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < LADO; i++)
            soma += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (lin < d.m && col < d.n)
        Cb[lin * d.n + col] = soma;
}

int main(void)
{
    Dim d = {33, 21, 50, 12};
    float *A, *B, *C;
    size_t ta = (size_t)d.lote * d.m * d.k, tb = (size_t)d.lote * d.k * d.n, tc = (size_t)d.lote * d.m * d.n;
    cudaMallocManaged(&A, ta * sizeof(float));
    cudaMallocManaged(&B, tb * sizeof(float));
    cudaMallocManaged(&C, tc * sizeof(float));
    for (size_t i = 0; i < ta; i++) A[i] = (float)((i * 7) % 10);
    for (size_t i = 0; i < tb; i++) B[i] = (float)((i * 3) % 8);

    dim3 bloco(LADO, LADO);
    dim3 grade((d.n + LADO - 1) / LADO, (d.m + LADO - 1) / LADO, d.lote);
    multiplicaLote<<<grade, bloco>>>(A, B, C, d);
    cudaError_t erro = cudaDeviceSynchronize();
    if (erro != cudaSuccess) {
        printf("deu ruim: %s\n", cudaGetErrorString(erro));
        return 1;
    }

    int errados = 0;
    for (int l = 0; l < d.lote; l++)
        for (int i = 0; i < d.m; i++)
            for (int j = 0; j < d.n; j++) {
                float s = 0;
                for (int k = 0; k < d.k; k++)
                    s += A[(l * d.m + i) * d.k + k] * B[(l * d.k + k) * d.n + j];
                if (fabsf(s - C[(l * d.m + i) * d.n + j]) > 0.01f) errados++;
            }
    printf("errados: %d de %zu\n", errados, tc);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return errados != 0;
}
