// Trabalho 2 - GEMM em ordem de colunas (como no BLAS)
// elemento (i,j) de uma matriz X com dimensão principal ldx: X[i + j*ldx]
#include <cstdio>
#include <cstdlib>
#include <cmath>

const int LADO = 16;

__global__ void gemm_coluna(int m, int n, int k, float alfa,
                            const float *A, int lda,
                            const float *B, int ldb,
                            float beta, float *C, int ldc)
{
    __shared__ float blocoA[LADO][LADO];      // [coluna][linha]
    __shared__ float blocoB[LADO][LADO + 1];  // [coluna][linha]

    int tx = threadIdx.x, ty = threadIdx.y;
    int lin = blockIdx.x * LADO + tx;   // x anda nas linhas: acesso coalescido
    int col = blockIdx.y * LADO + ty;

    float soma = 0.0f;
    for (int p = 0; p < k; p += LADO) {
        blocoA[ty][tx] = 0.0f;
        blocoB[ty][tx] = 0.0f;
        if (lin < m && p + ty < k)
            blocoA[ty][tx] = A[lin + (p + ty) * lda];
        if (p + tx < k && col < n)
            blocoB[ty][tx] = B[(p + tx) + col * ldb];
        __syncthreads();

        for (int q = 0; q < LADO; q++)
            soma += blocoA[q][tx] * blocoB[ty][q];
        __syncthreads();
    }

    if (lin < m && col < n) {
        int pos = lin + col * ldc;
        C[pos] = alfa * soma + beta * C[pos];
    }
}

int main()
{
    int m = 77, n = 120, k = 59;
    int lda = 80, ldb = 64, ldc = 96;
    float alfa = 1.5f, beta = -0.5f;

    float *A, *B, *C;
    cudaMallocManaged(&A, (size_t)lda * k * sizeof(float));
    cudaMallocManaged(&B, (size_t)ldb * n * sizeof(float));
    cudaMallocManaged(&C, (size_t)ldc * n * sizeof(float));
    float *ref = (float *)malloc((size_t)ldc * n * sizeof(float));

    for (int i = 0; i < lda * k; i++) A[i] = (rand() % 21 - 10) * 0.1f;
    for (int i = 0; i < ldb * n; i++) B[i] = (rand() % 21 - 10) * 0.1f;
    for (int i = 0; i < ldc * n; i++) ref[i] = C[i] = (rand() % 21 - 10) * 0.1f;

    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float s = 0;
            for (int q = 0; q < k; q++) s += A[i + q * lda] * B[q + j * ldb];
            ref[i + j * ldc] = alfa * s + beta * ref[i + j * ldc];
        }

    dim3 bloco(LADO, LADO);
    dim3 grade((m + LADO - 1) / LADO, (n + LADO - 1) / LADO);
    gemm_coluna<<<grade, bloco>>>(m, n, k, alfa, A, lda, B, ldb, beta, C, ldc);
    cudaError_t erro = cudaDeviceSynchronize();
    if (erro != cudaSuccess) { printf("erro: %s\n", cudaGetErrorString(erro)); return 1; }

    int ruins = 0;
    // a folga (linhas m..ldc-1) também não pode mudar
    for (int i = 0; i < ldc * n; i++)
        if (fabsf(C[i] - ref[i]) > 1e-3f) ruins++;
    printf("diferentes: %d\n", ruins);

    cudaFree(A); cudaFree(B); cudaFree(C); free(ref);
    return ruins ? 1 : 0;
}
