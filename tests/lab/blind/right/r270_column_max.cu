// Largest value in each column of an int matrix (rows x cols, row major, rows >= 1).
//
// launch with dim3 block(32, 8) and as many blocks in x as cols / 32 rounded up.
// 32 columns belong to a block, the 8 thread rows share the rows of the matrix.
#include <climits>

#define CX 32
#define CY 8

__global__ void columnMax(const int *mat, int *best, int rows, int cols)
{
    __shared__ int part[CY][CX];

    int col = blockIdx.x * CX + threadIdx.x;
    int b = INT_MIN;

    if (col < cols)
        for (int r = threadIdx.y; r < rows; r += CY) {
            int v = mat[(long long)r * cols + col];
            if (v > b) b = v;
        }

    part[threadIdx.y][threadIdx.x] = b;
    __syncthreads();

    for (int h = CY / 2; h > 0; h >>= 1) {
        if (threadIdx.y < h)
            part[threadIdx.y][threadIdx.x] =
                max(part[threadIdx.y][threadIdx.x], part[threadIdx.y + h][threadIdx.x]);
        __syncthreads();
    }

    if (threadIdx.y == 0 && col < cols)
        best[col] = part[0][threadIdx.x];
}
