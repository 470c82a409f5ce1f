// A^T * B.  A: K rows, M columns.  B: K rows, N columns.  C: M rows, N columns.
// Two neighbouring output columns per 16-wide slab: a thread owns (r, c) and (r, c + 16).
//
// launch:  dim3 th(16, 16);
//          dim3 gr((N + 31) / 32, (M + 15) / 16);
//          gram<<<gr, th>>>(A, B, C, K, M, N);
#define W 16

__global__ void gram(const float *A, const float *B, float *C, int K, int M, int N)
{
    __shared__ float sA[W][W];        // sA[k][row of C]
    __shared__ float sB[W][2 * W];    // sB[k][col of C]

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int r0 = blockIdx.y * W;
    int c0 = blockIdx.x * 2 * W;

    float s0 = 0, s1 = 0;

    for (int k0 = 0; k0 < K; k0 += W) {
        int k = k0 + ty;
        int ca = r0 + tx;

        sA[ty][tx] = 0;
        sB[ty][tx] = 0;
        sB[ty][tx + W] = 0;
        if (k < K) {
            if (ca < M)
                sA[ty][tx] = A[(size_t)k * M + ca];
            if (c0 + tx < N)
                sB[ty][tx] = B[(size_t)k * N + c0 + tx];
            if (c0 + tx + W < N)
                sB[ty][tx + W] = B[(size_t)k * N + c0 + tx + W];
        }
        __syncthreads();

        for (int i = 0; i < W; i++) {
            float a = sA[i][ty];
            s0 += a * sB[i][tx];
            s1 += a * sB[i][tx + W];
        }
        __syncthreads();
    }

    int r = r0 + ty;
    if (r >= M) return;
    if (c0 + tx < N)
        C[(size_t)r * N + c0 + tx] = s0;
    if (c0 + tx + W < N)
        C[(size_t)r * N + c0 + tx + W] = s1;
}
