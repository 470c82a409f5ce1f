#include <cuda_runtime.h>

// C = A * B. Each thread produces ROWS elements of one column of C.
// Row-major, any M, N, K between 1 and 20000.

#define BM   32
#define BN   32
#define BK   16
#define ROWS 4                     // block is BN x (BM / ROWS) threads

__global__ void gemm_rows(int M, int N, int K,
                          const float *A, const float *B, float *C)
{
    extern __shared__ float smem[];
    float *As = smem;              // BM x BK
    float *Bs = smem + BM * BK;    // BK x BN

    const int nthreads = blockDim.x * blockDim.y;
    const int tid  = threadIdx.y * blockDim.x + threadIdx.x;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[ROWS];
    for (int r = 0; r < ROWS; r++)
        acc[r] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += nthreads) {
            int r = row0 + e / BK, k = k0 + e % BK;
            As[e] = (r < M && k < K) ? A[(size_t)r * K + k] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += nthreads) {
            int k = k0 + e / BN, c = col0 + e % BN;
            Bs[e] = (k < K && c < N) ? B[(size_t)k * N + c] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; k++) {
            float b = Bs[k * BN + threadIdx.x];
            #pragma unroll
            for (int r = 0; r < ROWS; r++)
                acc[r] += As[(threadIdx.y * ROWS + r) * BK + k] * b;
        }
        __syncthreads();
    }

    const int col = col0 + threadIdx.x;
    for (int r = 0; r < ROWS; r++) {
        int row = row0 + threadIdx.y * ROWS + r;
        if (row < M && col < N)
            C[(size_t)row * N + col] = acc[r];
    }
}

void gemm(int M, int N, int K, const float *dA, const float *dB, float *dC)
{
    dim3 block(BN, BM / ROWS);
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    size_t bytes = BM * BK + BK * BN * sizeof(float);
    gemm_rows<<<grid, block, bytes>>>(M, N, K, dA, dB, dC);
}
