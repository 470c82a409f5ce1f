/* C = A * B
 * A: M rows, K columns;  B: K rows, N columns;  all row-major; any M, K, N.
 *
 *   dim3 block(EDGE, EDGE);
 *   dim3 grid(CEIL(N, EDGE), CEIL(M, EDGE));
 *   mm<<<grid, block>>>(A, B, C, M, K, N);
 */
#define EDGE 16
#define CEIL(a, b) (((a) + (b) - 1) / (b))
#define AT(mat, r, c, ld) mat[(r) * (ld) + (c)]

__global__ void mm(const float* A, const float* B, float* C, int M, int K, int N)
{
    __shared__ float As[EDGE][EDGE];
    __shared__ float Bs[EDGE][EDGE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int r = blockIdx.y * EDGE + ty;
    int c = blockIdx.x * EDGE + tx;
    float v = 0.0f;
    int phases = CEIL(N, EDGE);

    for (int p = 0; p < phases; ++p) {
        int kc = p * EDGE + tx;
        int kr = p * EDGE + ty;
        As[ty][tx] = (r < M && kc < K) ? AT(A, r, kc, K) : 0.0f;
        Bs[ty][tx] = (kr < K && c < N) ? AT(B, kr, c, N) : 0.0f;
        __syncthreads();

        for (int i = 0; i < EDGE; ++i)
            v += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }

    if (r < M && c < N)
        AT(C, r, c, N) = v;
}
