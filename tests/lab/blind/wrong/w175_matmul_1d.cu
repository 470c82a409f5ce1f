// hw2 q4  tiled matmul using 1D thread blocks
// matrices of float, n x n
const int TW = 16;

__device__ float fetch(const float *mat, int r, int c, int n)
{
    if (r < n && c < n)
        return mat[r * n + c];
    return 0.0f;
}

__global__ void matmul1d(float *out, const float *lhs, const float *rhs, const int n)
{
    __shared__ float L[TW][TW];
    __shared__ int R[TW][TW];

    int ty = threadIdx.x / TW;
    int tx = threadIdx.x % TW;

    int tilesPerRow = (n + TW - 1) / TW;
    int by = blockIdx.x / tilesPerRow;
    int bx = blockIdx.x % tilesPerRow;

    int row = by * TW + ty;
    int col = bx * TW + tx;

    float res = 0.0f;
    for (int t = 0; t < tilesPerRow; t++) {
        L[ty][tx] = fetch(lhs, row, t * TW + tx, n);
        R[ty][tx] = fetch(rhs, t * TW + ty, col, n);
        __syncthreads();
        for (int k = 0; k < TW; k++)
            res += L[ty][k] * R[k][tx];
        __syncthreads();
    }

    if (row < n && col < n)
        out[row * n + col] = res;
}

void matmul(float *out, const float *lhs, const float *rhs, int n)
{
    int tiles = (n + TW - 1) / TW;
    matmul1d<<<tiles * tiles, TW * TW>>>(out, lhs, rhs, n);
}
