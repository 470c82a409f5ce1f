// C = alfa * A^T * B + beta * C, tutto per colonne (column-major).
//   A : K x M, passo lda >= K     (A(k,i) = A[k + i*lda])
//   B : K x N, passo ldb >= K     (B(k,j) = B[k + j*ldb])
//   C : M x N, passo ldc >= M     (C(i,j) = C[i + j*ldc])
// Blocchi 16x16; griglia.x copre le righe di C, griglia.y le colonne.

#define P 16

__global__ void gemm_tn(int M, int N, int K, float alfa,
                        const float *A, int lda,
                        const float *B, int ldb,
                        float beta, float *C, int ldc)
{
    __shared__ float pezzoA[P][P + 1];   // [riga i][k]
    __shared__ float pezzoB[P][P + 1];   // [colonna j][k]

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int base_i = blockIdx.x * P;
    int base_j = blockIdx.y * P;

    float somma = 0.0f;
    for (int k0 = 0; k0 < K; k0 += P) {
        int k = k0 + tx;
        // k varia con tx: letture contigue
        if (k < K && base_i + ty < M)
            pezzoA[ty][tx] = A[k + (base_i + ty) * lda];
        else
            pezzoA[ty][tx] = 0.0f;
        if (k < K && base_j + ty < N)
            pezzoB[ty][tx] = B[k + (base_j + ty) * ldb];
        else
            pezzoB[ty][tx] = 0.0f;
        __syncthreads();

        for (int q = 0; q < P; q++)
            somma += pezzoA[tx][q] * pezzoB[ty][q];
        __syncthreads();
    }

    int i = base_i + tx;
    int j = base_j + ty;
    if (i < M && j < N) {
        float vecchio = (beta == 0.0f) ? 0.0f : beta * C[i + j * ldc];
        C[i + j * ldc] = alfa * somma + vecchio;
    }
}
