#include <cuda_runtime.h>
#include <cstdio>

// Multiplicação em lote: um produto por fatia z da grade
__global__ void lote(const float *A, const float *B, float *C, int m, int k, int n)
{
    const int z = blockIdx.z;
    const float *a = A + z * m * k;
    const float *b = B + z * k * n;
    float *c = C + z * m * k;

    const int linha = blockIdx.y * blockDim.y + threadIdx.y;
    const int coluna = blockIdx.x * blockDim.x + threadIdx.x;
    if (linha < m && coluna < n) {
        float soma = 0.0f;
        for (int q = 0; q < k; ++q)
            soma += a[linha * k + q] * b[q * n + coluna];
        c[linha * n + coluna] = soma;
    }
}

int main()
{
    const int qtd = 5, m = 12, k = 9, n = 20;
    float *A, *B, *C;
    cudaMallocManaged(&A, qtd * m * k * sizeof(float));
    cudaMallocManaged(&B, qtd * k * n * sizeof(float));
    cudaMallocManaged(&C, qtd * m * n * sizeof(float));
    for (int i = 0; i < qtd * m * k; ++i) A[i] = i / (m * k);
    for (int i = 0; i < qtd * k * n; ++i) B[i] = 1.0f;
    dim3 bloco(16, 16, 1);
    dim3 grade((n + 15) / 16, (m + 15) / 16, qtd);
    lote<<<grade, bloco>>>(A, B, C, m, k, n);
    cudaDeviceSynchronize();
    for (int z = 0; z < qtd; ++z)
        printf("%f\n", C[z * m * n]);
    return 0;
}
