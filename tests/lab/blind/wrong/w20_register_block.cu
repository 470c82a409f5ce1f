// Each thread of a 16 x 16 block computes a 2 x 2 patch of C (a block covers 32 x 32).
#define BM 32
#define BK 16

__global__ void mm2x2(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BM];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BM;

    float acc[2][2];

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = 0; i < 2; i++) {
            int r = row0 + ty + 16 * i;
            As[ty + 16 * i][tx] = (r < M && k0 + tx < K) ? A[r * K + k0 + tx] : 0.0f;
            int c = col0 + tx + 16 * i;
            Bs[ty][tx + 16 * i] = (k0 + ty < K && c < N) ? B[(k0 + ty) * N + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; k++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    acc[i][j] += As[ty + 16 * i][k] * Bs[k][tx + 16 * j];
        __syncthreads();
    }

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int r = row0 + ty + 16 * i, c = col0 + tx + 16 * j;
            if (r < M && c < N)
                C[r * N + c] = acc[i][j];
        }
}
