// Practicum 2: C = alpha*A*B + beta*C, kolom na kolom opgeslagen (zoals in BLAS)
//   A: M x K, lda >= M     B: K x N, ldb >= K     C: M x N, ldc >= M
// Een thread per rij; de blokken in y-richting lopen over de kolommen.
// Als beta nul is, wordt C niet gelezen.

#define RIJEN 64
#define MAX_GRID_Y 65535

__global__ void kolomproduct(int M, int N, int K, float alpha,
                             const float *__restrict__ A, int lda,
                             const float *__restrict__ B, int ldb,
                             float beta, float *__restrict__ C, int ldc)
{
    const int rij = blockIdx.x * blockDim.x + threadIdx.x;
    if (rij >= M)
        return;                       // geen barrieres hieronder

    for (int kolom = blockIdx.y; kolom < N; kolom += gridDim.y) {
        const float *b = B + (size_t)kolom * ldb;
        float som = 0.0f;
        for (int k = 0; k < K; k++)
            som += A[rij + (size_t)k * lda] * b[k];

        float *c = C + (size_t)kolom * ldc + rij;
        if (beta == 0.0f)
            *c = alpha * som;
        else
            *c = alpha * som + beta * *c;
    }
}

void gemm_kolom(int M, int N, int K, float alpha, const float *dA, int lda,
                const float *dB, int ldb, float beta, float *dC, int ldc)
{
    if (M == 0 || N == 0)
        return;
    dim3 blok(RIJEN, 1);
    dim3 rooster((M + RIJEN - 1) / RIJEN, N < MAX_GRID_Y ? N : MAX_GRID_Y);
    kolomproduct<<<rooster, blok>>>(M, N, K, alpha, dA, lda, dB, ldb, beta, dC, ldc);
}
