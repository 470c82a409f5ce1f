// thread coarsening in y: blocks of 16 x 16 threads handle 64 rows x 16 columns of C
#define TILE 16
#define ROWS 4

__global__ void fourRows(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE * ROWS][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx;
    const int row = blockIdx.y * TILE * ROWS + ty;

    float acc[ROWS] = { 0.0f, 0.0f, 0.0f, 0.0f };

    for (int k0 = 0; k0 < K; k0 += TILE) {
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const int gr = row + r * TILE;
            As[ty + r * TILE][tx] = (gr < M && k0 + tx < K) ? A[gr * K + k0 + tx] : 0.0f;
        }
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TILE; ++k) {
            const float b = Bs[k][tx];
            #pragma unroll
            for (int r = 0; r < ROWS; ++r)
                acc[r] += As[ty + r * TILE][k] * b;
        }
        __syncthreads();
    }

    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int gr = row + r * TILE;
        if (col < N)
            C[gr * N + col] = acc[r];
    }
}
