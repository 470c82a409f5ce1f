// Trabalho prático: C = A * B^T
//   A: M x K   (por linhas)
//   B: N x K   (por linhas, usada transposta)
//   C: M x N
// Serve para qualquer M, N, K.  Bloco: (LADO, LADO).
// Grelha: ((N + LADO-1)/LADO, (M + LADO-1)/LADO)

#define LADO 16

// lê um elemento, ou zero se estiver fora da matriz
__device__ static inline double ler(const double *mat, int linhas, int colunas, int i, int j)
{
    return (i < linhas && j < colunas) ? mat[i * colunas + j] : 0.0;
}

__global__ void multABt(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double blocoA[LADO][LADO + 1];
    __shared__ double blocoB[LADO][LADO + 1];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * LADO + ty;
    int j = blockIdx.x * LADO + tx;
    int jCarga = blockIdx.x * LADO + ty;     // linha de B que este thread carrega

    double soma = 0.0;
    for (int base = 0; base < K; base += LADO) {
        blocoA[ty][tx] = ler(A, M, K, i, base + tx);
        blocoB[ty][tx] = ler(B, N, K, jCarga, base + tx);
        __syncthreads();

        for (int k = 0; k < LADO; k++)
            soma += blocoA[ty][k] * blocoB[tx][k];

        __syncthreads();
    }

    if (i < M && j < N)
        C[i * N + j] = soma;
}
