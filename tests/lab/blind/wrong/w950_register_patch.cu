// int matrix product, 32 x 32 outputs per block of 8 x 8 threads, 4 x 4 per thread.
// All sizes allowed. Both tiles live in one dynamic array: first A (32 x BK), then B (BK x 32).
#include <cuda_runtime.h>

static constexpr int OUT = 32;
static constexpr int BK = 8;
static constexpr int F = 4;

__global__ void patch(const int* A, const int* B, int* C, int M, int N, int K)
{
    extern __shared__ int sm[];
    int* const sA = sm;
    int* const sB = sm + OUT * BK;

    const int tid = threadIdx.y * 8 + threadIdx.x;
    const int r0 = blockIdx.y * OUT, c0 = blockIdx.x * OUT;
    int acc[F][F];
    for (int i = 0; i < F; ++i)
        for (int j = 0; j < F; ++j) acc[i][j] = 0;

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < OUT * BK; e += 64) {
            int r = e / BK, k = e % BK;
            sA[e] = (r0 + r < M && k0 + k < K) ? A[(r0 + r) * K + k0 + k] : 0;
            int kk = e / OUT, c = e % OUT;
            sB[e] = (k0 + kk < K && c0 + c < N) ? B[(k0 + kk) * N + c0 + c] : 0;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < F; ++i) {
                int a = sA[(threadIdx.y * F + i) * BK + k];
                for (int j = 0; j < F; ++j)
                    acc[i][j] += a * sB[k * BK + threadIdx.x * F + j];
            }
        __syncthreads();
    }

    for (int i = 0; i < F; ++i) {
        int r = r0 + threadIdx.y * F + i;
        for (int j = 0; j < F; ++j) {
            int c = c0 + threadIdx.x * F + j;
            if (r < M && c < N) C[r * N + c] = acc[i][j];
        }
    }
}

void run_patch(const int* A, const int* B, int* C, int M, int N, int K)
{
    dim3 g((N + OUT - 1) / OUT, (M + OUT - 1) / OUT);
    patch<<<g, dim3(8, 8), 2 * OUT * BK * sizeof(int)>>>(A, B, C, M, N, K);
}
