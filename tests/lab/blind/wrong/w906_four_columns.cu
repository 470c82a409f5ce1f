#include <cuda_runtime.h>
#define BX 16
#define BY 16
#define PER 4
#define WIDE (BX * PER)

// Thread (x, y) of a block produces PER elements of row y of a BY x WIDE tile.
// Sizes are free.
__global__ void mm_coarse(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float ta[BY][BX];
    __shared__ float tb[BY][WIDE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * BY + y;
    int left = blockIdx.x * WIDE;

    float r[PER];
    for (int p = 0; p < PER; ++p) r[p] = 0;

    for (int step = 0; step < k; step += BX) {
        ta[y][x] = row < m && step + x < k ? a[row * k + step + x] : 0;
        for (int p = 0; p < PER; ++p) {
            int cc = x + p * BX;
            tb[y][cc] = left + cc < n && step + y < k ? b[(step + y) * n + left + cc] : 0;
        }
        __syncthreads();
        for (int q = 0; q < BX; ++q) {
            float f = ta[y][q];
            for (int p = 0; p < PER; ++p)
                r[p] += f * tb[q][x + p * BX];
        }
        __syncthreads();
    }

    if (row < m)
        for (int p = 0; p < PER; ++p) {
            int col = left + x * PER + p;
            if (col < n) c[row * n + col] = r[p];
        }
}

void mm(const float* a, const float* b, float* c, int m, int n, int k)
{
    dim3 g((n + WIDE - 1) / WIDE, (m + BY - 1) / BY);
    mm_coarse<<<g, dim3(BX, BY)>>>(a, b, c, m, n, k);
}
