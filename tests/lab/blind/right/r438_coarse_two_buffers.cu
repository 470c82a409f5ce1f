/*
 * Lab 4, part (c): thread coarsening.
 *
 * One block of T x T threads produces T rows and 3*T columns of C, every
 * thread owns three entries that lie T columns apart.  Tiles live in dynamic
 * shared memory, and there are two sets of them: while some threads still work
 * on set 0 the quicker ones may already fill set 1.  That is why one barrier
 * per step is enough here.
 *
 * Row-major, any M, N, K >= 1 (as far as the grid limits go).
 */
#include <cuda_runtime.h>

#define T      16
#define COARSE 3

static const size_t SET_FLOATS = T * T + T * T * COARSE;

__global__ void mm_coarse(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ float pool[];

    const int tx  = threadIdx.x;
    const int ty  = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T * COARSE + tx;

    float acc[COARSE];
    for (int c = 0; c < COARSE; c++)
        acc[c] = 0.0f;

    const int steps = (K + T - 1) / T;
    for (int s = 0; s < steps; s++) {
        float *sa = pool + (s & 1) * (T * T + T * T * COARSE);
        float *sb = sa + T * T;                       /* T rows, T*COARSE wide */

        const int ka = s * T + tx;
        const int kb = s * T + ty;

        sa[ty * T + tx] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0f;
        for (int c = 0; c < COARSE; c++) {
            const int j = col + c * T;
            sb[ty * (T * COARSE) + c * T + tx] =
                (kb < K && j < N) ? B[(size_t)kb * N + j] : 0.0f;
        }

        __syncthreads();

        for (int p = 0; p < T; p++) {
            const float a = sa[ty * T + p];
            for (int c = 0; c < COARSE; c++)
                acc[c] += a * sb[p * (T * COARSE) + c * T + tx];
        }
    }

    if (row >= M)
        return;
    for (int c = 0; c < COARSE; c++)
        if (col + c * T < N)
            C[(size_t)row * N + col + c * T] = acc[c];
}

extern "C" cudaError_t launch_mm_coarse(const float *A, const float *B, float *C,
                                        int M, int N, int K)
{
    dim3 threads(T, T);
    dim3 blocks((N + T * COARSE - 1) / (T * COARSE), (M + T - 1) / T);
    mm_coarse<<<blocks, threads, 2 * SET_FLOATS * sizeof(float)>>>(A, B, C, M, N, K);
    return cudaGetLastError();
}
