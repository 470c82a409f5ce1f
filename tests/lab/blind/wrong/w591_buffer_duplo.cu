// Trabalho 2 - multiplicação com buffer duplo e memória compartilhada dinâmica
// Qualquer tamanho de matriz (m, n, k > 0).
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void mult_buffer_duplo(const float *A, const float *B, float *C,
                                  int m, int n, int k, int lado)
{
    extern __shared__ float mem[];
    int area = lado * lado;
    float *As = mem;               // As[2][lado][lado]
    float *Bs = mem + 2 * area;    // Bs[2][lado][lado]

    int tx = threadIdx.x, ty = threadIdx.y;
    int lin = blockIdx.y * lado + ty;
    int col = blockIdx.x * lado + tx;
    int pos = ty * lado + tx;

    // primeiro bloco
    As[pos] = (lin < m && tx < k) ? A[lin * k + tx] : 0.0f;
    Bs[pos] = (ty < k && col < n) ? B[ty * n + col] : 0.0f;
    __syncthreads();

    float soma = 0.0f;
    int passos = (k + lado - 1) / lado;
    for (int p = 0; p < passos; p++) {
        int atual = p & 1;
        int outro = 1 - atual;

        // busca o próximo enquanto calcula o atual
        if (p + 1 < passos) {
            int ka = (p + 1) * lado + tx;
            int kb = (p + 1) * lado + ty;
            As[outro * area + pos] = (lin < m && ka < k) ? A[lin * k + ka] : 0.0f;
            Bs[outro * area + pos] = (kb < k && col < n) ? B[kb * n + col] : 0.0f;
        }

        for (int i = 0; i < lado; i++)
            soma += As[atual * area + ty * lado + i] * Bs[atual * area + i * lado + tx];
        __syncthreads();
    }

    if (lin < m && col < n)
        C[lin * n + col] = soma;
}

void multiplica(const float *dA, const float *dB, float *dC, int m, int n, int k)
{
    const int lado = 16;
    dim3 threads(lado, lado);
    dim3 blocos((n + lado - 1) / lado, (m + lado - 1) / lado);

    // um bloco de A e um bloco de B
    size_t bytes = 2 * lado * lado * sizeof(float);
    mult_buffer_duplo<<<blocos, threads, bytes>>>(dA, dB, dC, m, n, k, lado);

    cudaError_t erro = cudaDeviceSynchronize();
    if (erro != cudaSuccess)
        printf("erro: %s\n", cudaGetErrorString(erro));
}
