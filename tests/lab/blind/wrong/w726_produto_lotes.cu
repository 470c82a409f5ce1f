// Trabalho 2 - multiplicacao de matrizes em lotes (batch)
// Para cada lote l:  C_l (m x n) = A_l (m x k) * B_l (k x n)
// As matrizes de um lote ficam uma depois da outra na memoria, por linhas.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Tamanhos {
    int lotes, m, n, k;
};

const int LADO = 8;

__global__ void produtoLotes(const int *A, const int *B, int *C, Tamanhos t)
{
    __shared__ int blocoA[LADO][LADO];
    __shared__ int blocoB[LADO][LADO];

    int lote = blockIdx.z;
    const int *a = A + (size_t)lote * t.m * t.k;
    const int *b = B + (size_t)lote * t.m * t.k;
    int *c = C + (size_t)lote * t.m * t.n;

    int x = threadIdx.x, y = threadIdx.y;
    int linha = blockIdx.y * LADO + y;
    int coluna = blockIdx.x * LADO + x;

    int soma = 0;
    int passos = (t.k + LADO - 1) / LADO;
    for (int p = 0; p < passos; p++) {
        int ca = p * LADO + x;
        int lb = p * LADO + y;

        if (linha < t.m && ca < t.k) blocoA[y][x] = a[linha * t.k + ca];
        else                         blocoA[y][x] = 0;

        if (lb < t.k && coluna < t.n) blocoB[y][x] = b[lb * t.n + coluna];
        else                          blocoB[y][x] = 0;

        __syncthreads();
        for (int q = 0; q < LADO; q++)
            soma += blocoA[y][q] * blocoB[q][x];
        __syncthreads();
    }

    if (linha < t.m && coluna < t.n)
        c[linha * t.n + coluna] = soma;
}

int main()
{
    Tamanhos t = {5, 40, 27, 33};
    size_t qa = (size_t)t.lotes * t.m * t.k;
    size_t qb = (size_t)t.lotes * t.k * t.n;
    size_t qc = (size_t)t.lotes * t.m * t.n;

    std::vector<int> A(qa), B(qb), C(qc);
    for (size_t i = 0; i < qa; i++) A[i] = rand() % 100 - 50;
    for (size_t i = 0; i < qb; i++) B[i] = rand() % 100 - 50;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, qa * sizeof(int));
    cudaMalloc(&dB, qb * sizeof(int));
    cudaMalloc(&dC, qc * sizeof(int));
    cudaMemcpy(dA, A.data(), qa * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), qb * sizeof(int), cudaMemcpyHostToDevice);

    dim3 threads(LADO, LADO);
    dim3 malha((t.n + LADO - 1) / LADO, (t.m + LADO - 1) / LADO, t.lotes);
    produtoLotes<<<malha, threads>>>(dA, dB, dC, t);

    cudaError_t erro = cudaDeviceSynchronize();
    if (erro != cudaSuccess) {
        printf("erro: %s\n", cudaGetErrorString(erro));
        return 1;
    }
    cudaMemcpy(C.data(), dC, qc * sizeof(int), cudaMemcpyDeviceToHost);

    int errados = 0;
    for (int l = 0; l < t.lotes; l++)
        for (int i = 0; i < t.m; i++)
            for (int j = 0; j < t.n; j++) {
                int s = 0;
                for (int q = 0; q < t.k; q++)
                    s += A[(l * t.m + i) * t.k + q] * B[(l * t.k + q) * t.n + j];
                if (s != C[(l * t.m + i) * t.n + j]) errados++;
            }
    printf("elementos errados: %d\n", errados);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return errados > 0;
}
