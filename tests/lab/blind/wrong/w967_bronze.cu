// Reduced product. A: 2m x k, B: k x 2n, C: m x n (row major, any m, n, k)
// block (TILE, TILE), grid (ceil(n / TILE), ceil(m / TILE))
#define TILE 8

__global__ void reduced_product(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float At[2 * TILE][TILE];
    __shared__ float Bt[TILE][2 * TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;
    int j = blockIdx.x * TILE + tx;
    float acc = 0.0f;

    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        int ka = t * TILE + tx;
        int kb = t * TILE + ty;
        bool inA = i < m && ka < k;
        bool inB = j < n && kb < k;

        At[2 * ty][tx]     = inA ? A[(2 * i) * k + ka] : 0.0f;
        At[2 * ty + 1][tx] = inA ? A[(2 * i + 1) * k + ka] : 0.0f;
        Bt[ty][2 * tx]     = inB ? B[kb * (2 * n) + 2 * j] : 0.0f;
        Bt[ty][2 * tx + 1] = inB ? B[kb * (2 * n) + 2 * j + 1] : 0.0f;
        __syncthreads();

        for (int e = 0; e < TILE; ++e) {
            float a0 = At[2 * ty][e], a1 = At[2 * ty + 1][e];
            float b0 = Bt[e][2 * tx], b1 = Bt[e][2 * tx + 1];
            acc += a0 * b0 + a1 * b1;
        }
        __syncthreads();
    }

    if (i < m && j < n)
        C[i * n + j] = acc;
}
