// 作业三: 半精度矩阵乘法 (输入 half, 累加用 float)
// C = A * B, A: m x k, B: k x n
#include <cuda_fp16.h>

#define TILE 16

__global__ void hgemm(const __half *A, const __half *B, __half *C, int m, int n, int k)
{
    __shared__ __half As[TILE][TILE];
    __shared__ __half Bs[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    const __half zero = __float2half(0.0f);

    float sum = 0.0f;
    int numTiles = (k + TILE - 1) / TILE;

    for (int t = 0; t < numTiles; t++) {
        int ac = t * TILE + threadIdx.x;
        int br = t * TILE + threadIdx.y;

        // 读取 A 和 B 的一块, 边界外补零
        As[threadIdx.y][threadIdx.x] = (row < m && ac < k) ? A[row * k + ac] : zero;
        Bs[threadIdx.y][threadIdx.x] = (br < k && col < n) ? B[br * n + col] : zero;
        __syncthreads();

        for (int i = 0; i < TILE - 1; i++)
            sum += __half2float(As[threadIdx.y][i]) * __half2float(Bs[i][threadIdx.x]);
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = __float2half(sum);
}

void run_hgemm(const __half *A, const __half *B, __half *C, int m, int n, int k)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    hgemm<<<blocks, threads>>>(A, B, C, m, n, k);
}
