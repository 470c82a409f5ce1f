// Problem set 3, question 2
//
// Integer matrix product C = A * B, A m x k, B k x n, C m x n, row-major,
// arbitrary m, n, k. 32-bit sums (inputs small enough not to overflow).
//
// Block of 32 x 8 threads computes a 32 x 32 tile of C, so every thread owns
// four elements of the same column, 8 rows apart.
// Grid: x = ceil(n / 32), y = ceil(m / 32).

#define TILE 32
#define ROWS 8
#define PER_THREAD (TILE / ROWS)

__global__ void int_gemm(const int *__restrict__ A, const int *__restrict__ B,
                         int *__restrict__ C, int m, int n, int k)
{
    __shared__ int As[TILE][TILE];
    __shared__ int Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int rowBase = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    int acc[PER_THREAD] = {0};

    for (int k0 = 0; k0 < k; k0 += TILE) {
        for (int j = 0; j < TILE; j += ROWS) {
            int r = rowBase + j;
            int ac = k0 + tx;
            int br = k0 + ty + j;
            As[ty + j][tx] = (r < m && ac < k) ? A[(size_t)r * k + ac] : 0;
            Bs[ty + j][tx] = (br < k && col < n) ? B[(size_t)br * n + col] : 0;
        }
        __syncthreads();

        for (int p = 0; p < blockDim.y; ++p) {
            int b = Bs[p][tx];
            #pragma unroll
            for (int e = 0; e < PER_THREAD; ++e)
                acc[e] += As[ty + e * ROWS][p] * b;
        }
        __syncthreads();
    }

    for (int e = 0; e < PER_THREAD; ++e) {
        int r = rowBase + e * ROWS;
        if (r < m && col < n)
            C[(size_t)r * n + col] = acc[e];
    }
}
