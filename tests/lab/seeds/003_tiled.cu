// Seed 003, section 4.3.3, as a kernel: A and B are N x N, C is N/2 x N/2, N a multiple of 2 * TILE.
// The thesis describes it without code: docs/check-files.md says which sentence became which line.
#define TILE 8

__global__ void rmm_tiled(const float *A, const float *B, float *C, int N)
{
    __shared__ float blockA[TILE][TILE];
    __shared__ float blockB[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float blockC = 0;
    for (int t = 0; t < N / TILE; ++t) {
        blockA[ty][tx] = A[(2*row)*N + t*TILE + tx] + A[(2*row + 1)*N + t*TILE + tx];
        blockB[ty][tx] = B[(t*TILE + ty)*N + 2*col] + B[(t*TILE + ty)*N + 2*col + 1];
        __syncthreads();
        for (int p = 0; p < TILE; ++p)
            blockC += blockA[ty][p] * blockB[p][tx];
        __syncthreads();
    }
    C[row*(N/2) + col] = blockC;
}

void rmm(const float *A, const float *B, float *C, int N)
{
    dim3 threads(TILE, TILE);
    dim3 blocks(N / 2 / TILE, N / 2 / TILE);
    rmm_tiled<<<blocks, threads>>>(A, B, C, N);
}
