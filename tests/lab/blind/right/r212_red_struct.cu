#include <cuda_runtime.h>
#include <cstdio>

struct Matriz {
    int linhas, colunas;
    double *dados;
    __host__ __device__ double &operator()(int i, int j) const { return dados[i * colunas + j]; }
};

#define N_BLOCO 8

__global__ void reduzida(Matriz A, Matriz B, Matriz C)
{
    __shared__ double somaA[N_BLOCO][N_BLOCO];
    __shared__ double somaB[N_BLOCO][N_BLOCO];

    int li = threadIdx.y, co = threadIdx.x;
    int i = blockIdx.y * N_BLOCO + li;
    int j = blockIdx.x * N_BLOCO + co;
    double acc = 0.0;

    for (int k0 = 0; k0 < A.colunas; k0 += N_BLOCO) {
        bool okA = i < C.linhas && k0 + co < A.colunas;
        bool okB = j < C.colunas && k0 + li < B.linhas;
        somaA[li][co] = okA ? A(2 * i, k0 + co) + A(2 * i + 1, k0 + co) : 0.0;
        somaB[li][co] = okB ? B(k0 + li, 2 * j) + B(k0 + li, 2 * j + 1) : 0.0;
        __syncthreads();
        for (int k = 0; k < N_BLOCO; ++k)
            acc += somaA[li][k] * somaB[k][co];
        __syncthreads();
    }
    if (i < C.linhas && j < C.colunas)
        C(i, j) = acc;
}

Matriz cria(int l, int c)
{
    Matriz m{l, c, nullptr};
    cudaMallocManaged(&m.dados, sizeof(double) * l * c);
    for (int i = 0; i < l * c; ++i) m.dados[i] = i % 5;
    return m;
}

int main()
{
    Matriz A = cria(22, 19), B = cria(19, 30), C = cria(11, 15);
    dim3 bloco(N_BLOCO, N_BLOCO);
    dim3 grade((C.colunas + N_BLOCO - 1) / N_BLOCO, (C.linhas + N_BLOCO - 1) / N_BLOCO);
    reduzida<<<grade, bloco>>>(A, B, C);
    cudaDeviceSynchronize();
    printf("%g\n", C(10, 14));
    return 0;
}
