// Produto de matrizes com 4 linhas x 2 colunas por thread (blocking em registradores).
//   C = A * B   A: M x K (passo lda), B: K x N (passo ldb), C: M x N (passo ldc)
//   M, N, K >= 1 quaisquer; lda >= K, ldb >= N, ldc >= N
//
// Lancamento:
//   dim3 bloco(16, 16);
//   dim3 grade((N + 31) / 32, (M + 63) / 64);
//   produto<float><<<grade, bloco>>>(M, N, K, A, lda, B, ldb, C, ldc);

enum { THR = 16, LIN = 4, COL = 2, PROF = 16, ALT = THR * LIN, LARG = THR * COL };

template <class Real>
__global__ void produto(int M, int N, int K, const Real *A, int lda,
                        const Real *B, int ldb, Real *C, int ldc)
{
    __shared__ Real sa[ALT][PROF];
    __shared__ Real sb[PROF][LARG];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int lin0 = blockIdx.y * ALT;
    const int col0 = blockIdx.x * LARG;

    Real acc[LIN][COL];
    for (int i = 0; i < LIN; ++i)
        for (int j = 0; j < COL; ++j)
            acc[i][j] = Real(0);

    for (int k0 = 0; k0 < K; k0 += PROF) {
        for (int i = 0; i < LIN; ++i) {
            const int l = lin0 + ty + i * THR;
            sa[ty + i * THR][tx] = (l < M && k0 + tx < K) ? A[l * lda + k0 + tx] : Real(0);
        }
        for (int j = 0; j < COL; ++j) {
            const int c = col0 + tx + j * THR;
            sb[ty][tx + j * THR] = (c < N && k0 + ty < K) ? B[(k0 + ty) * ldb + c] : Real(0);
        }
        __syncthreads();

        for (int k = 0; k < PROF; ++k)
            for (int i = 0; i < LIN; ++i)
                for (int j = 0; j < COL; ++j)
                    acc[i][j] += sa[ty * LIN + i][k] * sb[k][tx + j * THR];
        __syncthreads();
    }

    for (int i = 0; i < LIN; ++i)
        for (int j = 0; j < COL; ++j) {
            const int l = lin0 + ty + i * THR;
            const int c = col0 + tx + j * THR;
            if (l < M && c < N)
                C[l * ldc + c] = acc[i][j];
        }
}

template __global__ void produto<float>(int, int, int, const float *, int, const float *, int, float *, int);
