// C = alfa * A^T * B + beta * C, armazenamento por colunas (estilo BLAS).
//   A tem k linhas e m colunas, dimensao principal lda >= k
//   B tem k linhas e n colunas, dimensao principal ldb >= k
//   C tem m linhas e n colunas, dimensao principal ldc >= m
// Com beta == 0 o conteudo anterior de C nao e lido (pode ser NaN).
// Limite: n <= 65535 * LADO (gridDim.y).
//
// Chamada:
//   dim3 bloco(LADO, LADO);
//   dim3 grade((m + LADO - 1) / LADO, (n + LADO - 1) / LADO);
//   gemm_tn<<<grade, bloco>>>(m, n, k, alfa, A, lda, B, ldb, beta, C, ldc);
#include <cuda_runtime.h>

#define LADO 16
#define POS(linha, coluna, ld) ((size_t)(coluna) * (ld) + (linha))

__global__ void gemm_tn(int m, int n, int k,
                        double alfa,
                        const double *A, int lda,
                        const double *B, int ldb,
                        double beta,
                        double *C, int ldc)
{
    // o elemento a mais em cada linha evita conflitos de bancos
    __shared__ double sa[LADO][LADO + 1];   // sa[coluna de A][p]
    __shared__ double sb[LADO][LADO + 1];   // sb[coluna de B][p]

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i0 = blockIdx.x * LADO;       // primeira linha de C no bloco
    const int j0 = blockIdx.y * LADO;       // primeira coluna de C no bloco

    double soma = 0.0;
    for (int p0 = 0; p0 < k; p0 += LADO) {
        // tx percorre a direcao contigua (as linhas) das duas matrizes
        const int p = p0 + tx;
        sa[ty][tx] = (p < k && i0 + ty < m) ? A[POS(p, i0 + ty, lda)] : 0.0;
        sb[ty][tx] = (p < k && j0 + ty < n) ? B[POS(p, j0 + ty, ldb)] : 0.0;
        __syncthreads();

        const int fim = min(LADO, k - p0);
        for (int q = 0; q < fim; ++q)
            soma += sa[tx][q] * sb[ty][q];
        __syncthreads();
    }

    const int i = i0 + tx;
    const int j = j0 + ty;
    if (i < m && j < n) {
        double r = alfa * soma;
        if (beta != 0.0)
            r += beta * C[POS(i, j, ldc)];
        C[POS(i, j, ldc)] = r;
    }
}
