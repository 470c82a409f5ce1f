#include <cuda_runtime.h>

// C = A * B, float, row-major, any sizes.
// 32 x 32 outputs per block, 32 x 8 threads, four outputs per thread.

#define TS  32
#define RPB 8
#define WPT (TS / RPB)

__global__ void sgemm4(int M, int N, int K, const float* A, const float* B, float* C)
{
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;

    float acc[WPT] = {0.0f};

    for (int k0 = 0; k0 < K; k0 += TS) {
        for (int w = 0; w < WPT; w++) {
            const int y = ty + w * RPB;
            const int r = row + w * RPB;
            As[y][tx] = (r < M && k0 + tx < K) ? A[r * K + k0 + tx] : 0.0f;
            Bs[y][tx] = (k0 + y < K && col < N) ? B[(k0 + y) * N + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TS; k++) {
            const float b = Bs[k][tx];
            for (int w = 0; w < WPT; w++)
                acc[w] += As[ty * WPT + w][k] * b;
        }
        __syncthreads();
    }

    for (int w = 0; w < WPT; w++) {
        const int r = row + w * RPB;
        if (r < M && col < N)
            C[r * N + col] = acc[w];
    }
}

void sgemm(int M, int N, int K, const float* A, const float* B, float* C)
{
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
    sgemm4<<<grid, dim3(TS, RPB)>>>(M, N, K, A, B, C);
}
