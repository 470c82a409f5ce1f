// Persistent SGEMM, C = alpha * A * B + beta * C, everything row-major (lda >= k, ldb >= n, ldc >= n).
// Blocks draw tile numbers from *queue, which must hold 0 at launch. Any grid size, NT threads per block.
// beta == 0 means that C is only written, so it may hold garbage on entry.
#include <cuda_runtime.h>

static constexpr int BM = 64, BN = 32, BK = 16, NT = 256;
static constexpr int RPT = BM / (NT / BN);          // rows per thread = 8

struct GemmArgs {
    const float *a, *b;
    float *c;
    int m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

__global__ void __launch_bounds__(NT) sgemm_persistent(const GemmArgs g, unsigned *queue)
{
    __shared__ float sa[BK][BM + 1];
    __shared__ float sb[BK][BN];
    __shared__ unsigned drawn;

    const unsigned tiles_n = (g.n + BN - 1) / BN;
    const unsigned tiles = tiles_n * ((g.m + BM - 1) / BM);
    const int tid = threadIdx.x;
    const int cx = tid % BN;
    const int ry = (tid / BN) * RPT;

    for (;;) {
        if (tid == 0) drawn = atomicAdd(queue, 1u);
        __syncthreads();
        const unsigned tile = drawn;
        __syncthreads();                            // read by all before it is drawn again
        if (tile >= tiles) return;

        const int row0 = (tile / tiles_n) * BM;
        const int col0 = (tile % tiles_n) * BN;
        float acc[RPT] = {};

        for (int k0 = 0; k0 < g.k; k0 += BK) {
            for (int i = tid; i < BM * BK; i += NT) {
                const int r = i / BK, q = i % BK;
                sa[q][r] = (row0 + r < g.m && k0 + q < g.k)
                             ? g.a[size_t(row0 + r) * g.lda + k0 + q] : 0.f;
            }
            for (int i = tid; i < BK * BN; i += NT) {
                const int q = i / BN, c = i % BN;
                sb[q][c] = (k0 + q < g.k && col0 + c < g.n)
                             ? g.b[size_t(k0 + q) * g.ldb + col0 + c] : 0.f;
            }
            __syncthreads();
#pragma unroll
            for (int q = 0; q < BK; ++q) {
                const float bq = sb[q][cx];
#pragma unroll
                for (int u = 0; u < RPT; ++u) acc[u] += sa[q][ry + u] * bq;
            }
            __syncthreads();
        }

        if (col0 + cx < g.n) {
#pragma unroll
            for (int u = 0; u < RPT; ++u) {
                if (row0 + ry + u < g.m) {
                    float *out = g.c + size_t(row0 + ry + u) * g.ldc + col0 + cx;
                    *out = g.beta == 0.f ? g.alpha * acc[u] : g.alpha * acc[u] + g.beta * *out;
                }
            }
        }
    }
}

cudaError_t sgemm_run(const GemmArgs &g, unsigned *d_queue, int sm_count, cudaStream_t st)
{
    if (g.m <= 0 || g.n <= 0) return cudaSuccess;
    cudaError_t e = cudaMemsetAsync(d_queue, 0, sizeof(unsigned), st);
    if (e != cudaSuccess) return e;
    sgemm_persistent<<<2 * sm_count, NT, 0, st>>>(g, d_queue);
    return cudaGetLastError();
}
