// sgemm, row major with leading dimensions: C = alpha*A*B + beta*C
// 64x64 tile of C per block, 16x16 threads, 16 results per thread.
// Any m, n, k; lda >= k, ldb >= n, ldc >= n.  When beta is 0, C is not read.
#include <cuda_runtime.h>

#define TILE 64
#define DEPTH 16
#define SIDE 16
#define PER (TILE / SIDE)

__global__ void sgemm64(int m, int n, int k, float alpha,
                        const float *A, int lda,
                        const float *B, int ldb,
                        float beta, float *C, int ldc)
{
    __shared__ float As[TILE][DEPTH + 1];
    __shared__ float Bs[DEPTH][TILE];

    const int tid = threadIdx.y * SIDE + threadIdx.x;
    const int m0 = blockIdx.y * TILE;
    const int n0 = blockIdx.x * TILE;

    float acc[PER][PER];
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++)
            acc[i][j] = 0.0f;

    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int e = tid; e < TILE * DEPTH; e += SIDE * SIDE) {
            int r = e / DEPTH, c = e % DEPTH;
            As[r][c] = (m0 + r < m && k0 + c < k) ? A[(size_t)(m0 + r) * lda + k0 + c] : 0.0f;
        }
        for (int e = tid; e < TILE * DEPTH; e += SIDE * SIDE) {
            int r = e / TILE, c = e % TILE;
            Bs[r][c] = (k0 + r < k && n0 + c < n) ? B[(size_t)(k0 + r) * ldb + n0 + c] : 0.0f;
        }
        __syncthreads();

        for (int p = 0; p < DEPTH; p++) {
            float ra[PER], rb[PER];
            for (int i = 0; i < PER; i++) ra[i] = As[threadIdx.y + i * SIDE][p];
            for (int j = 0; j < PER; j++) rb[j] = Bs[p][threadIdx.x + j * SIDE];
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < PER; i++) {
        int r = m0 + threadIdx.y + i * SIDE;
        if (r >= m) break;
        for (int j = 0; j < PER; j++) {
            int c = n0 + threadIdx.x + j * SIDE;
            if (c >= n) break;
            float *dst = C + (size_t)r * ldc + c;
            *dst = (beta == 0.0f) ? alpha * acc[i][j] : alpha * acc[i][j] + beta * *dst;
        }
    }
}

void sgemm_rowmajor(int m, int n, int k, float alpha, const float *A, int lda,
                    const float *B, int ldb, float beta, float *C, int ldc)
{
    if (m <= 0 || n <= 0) return;
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    sgemm64<<<grid, dim3(SIDE, SIDE)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
