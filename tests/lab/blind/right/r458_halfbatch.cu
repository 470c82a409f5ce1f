#include <cuda_runtime.h>
#include <cuda_fp16.h>

// D[b] = alpha * A[b] * B[b] + beta * D[b]   for b = 0 .. batch-1
// A, B in half, D in float, sums in float. Packed row-major matrices, any m, n, k >= 1.
template <int TILE>
__global__ void hgemmBatched(const __half *A, const __half *B, float *D,
                             int m, int n, int k, float alpha, float beta)
{
    __shared__ __half shA[TILE][TILE + 2];
    __shared__ __half shB[TILE][TILE + 2];

    A += (size_t)blockIdx.z * m * k;
    B += (size_t)blockIdx.z * k * n;
    D += (size_t)blockIdx.z * m * n;

    const int row = blockIdx.x * TILE + threadIdx.y;
    const int col = blockIdx.y * TILE + threadIdx.x;
    const __half nul = __float2half(0.0f);

    float sum = 0.0f;
    for (int base = 0; base < k; base += TILE) {
        int ac = base + threadIdx.x;
        int br = base + threadIdx.y;
        shA[threadIdx.y][threadIdx.x] = (row < m && ac < k) ? A[row * k + ac] : nul;
        shB[threadIdx.y][threadIdx.x] = (br < k && col < n) ? B[br * n + col] : nul;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += __half2float(shA[threadIdx.y][i]) * __half2float(shB[i][threadIdx.x]);
        __syncthreads();
    }

    if (row < m && col < n) {
        float old = (beta != 0.0f) ? D[row * n + col] : 0.0f;
        D[row * n + col] = alpha * sum + beta * old;
    }
}

cudaError_t launchHgemm(const __half *A, const __half *B, float *D, int m, int n, int k,
                        int batch, float alpha, float beta, cudaStream_t stream)
{
    constexpr int TILE = 16;
    dim3 block(TILE, TILE, 1);
    // rows go along x here
    dim3 grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE, batch);
    hgemmBatched<TILE><<<grid, block, 0, stream>>>(A, B, D, m, n, k, alpha, beta);
    return cudaGetLastError();
}
