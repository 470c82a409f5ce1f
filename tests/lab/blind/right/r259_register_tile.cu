// sgemm step 4 of my blog series: a 4x4 register tile for each thread.
// C = A * B, row major, any m, n, k.
#include <cuda_runtime.h>
#include <cstddef>

#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
#define THREADS ((BM / TM) * (BN / TN))   // 256

__global__ void __launch_bounds__(THREADS)
sgemm_reg(const float *__restrict__ A, const float *__restrict__ B,
          float *__restrict__ C, int m, int n, int k)
{
    __shared__ float As[BK][BM];   // A is kept transposed
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tr = (tid / (BN / TN)) * TM;   // first row in the tile
    const int tc = (tid % (BN / TN)) * TN;   // first column in the tile
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[TM][TN] = {};
    float ra[TM], rb[TN];

    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e = tid; e < BM * BK; e += THREADS) {
            const int r = e / BK, c = e % BK;
            const int gr = row0 + r, gc = k0 + c;
            As[c][r] = (gr < m && gc < k) ? A[(size_t)gr * k + gc] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += THREADS) {
            const int r = e / BN, c = e % BN;
            const int gr = k0 + r, gc = col0 + c;
            Bs[r][c] = (gr < k && gc < n) ? B[(size_t)gr * n + gc] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < BK; ++p) {
            for (int i = 0; i < TM; ++i) ra[i] = As[p][tr + i];
            for (int j = 0; j < TN; ++j) rb[j] = Bs[p][tc + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        const int r = row0 + tr + i;
        if (r >= m) break;
        for (int j = 0; j < TN; ++j) {
            const int c = col0 + tc + j;
            if (c < n) C[(size_t)r * n + c] = acc[i][j];
        }
    }
}

// device pointers
void sgemm(const float *A, const float *B, float *C, int m, int n, int k, cudaStream_t s)
{
    dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    sgemm_reg<<<grid, THREADS, 0, s>>>(A, B, C, m, n, k);
}
