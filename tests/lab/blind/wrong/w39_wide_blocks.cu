// blockDim = (32, 8): every block computes 8 rows and 32 columns of C,
// the inner dimension is cut into pieces of 32
#define BX 32
#define BY 8

__global__ void wideBlocks(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[BY][BX];
    __shared__ float sB[BX][BX];

    unsigned int tx = threadIdx.x;
    unsigned int ty = threadIdx.y;
    unsigned int row = blockIdx.y * BY + ty;
    unsigned int col = blockIdx.x * BX + tx;

    float s = 0.0f;
    for (unsigned int k0 = 0; k0 < K; k0 += BX) {
        sA[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        for (unsigned int r = ty; r < BX; r += BY)
            sB[r][tx] = (k0 + r < K && col < N) ? B[(k0 + r) * N + col] : 0.0f;
        __syncthreads();

        for (unsigned int k = 0; k < BX; k++)
            s += sA[ty][k] * sB[k][tx];
    }

    if (row < M && col < N)
        C[row * N + col] = s;
}
