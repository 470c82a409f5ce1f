#include <cuda_runtime.h>
namespace course {
template <typename T, int TILE>
__global__ void tiledMatMul(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int m, int n, int k)
{
    __shared__ T As[TILE][TILE + 1], Bs[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    T sum = T(0);
    for (int t = 0; t < k; t += TILE) {
        As[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? A[row * k + t + threadIdx.x] : T(0);
        Bs[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && col < n ? B[(t + threadIdx.y) * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
template <typename T>
void launch(const T* a, const T* b, T* c, int m, int n, int k)
{
    constexpr int tile = 8;
    dim3 block(tile, tile), grid((n + tile - 1) / tile, (m + tile - 1) / tile);
    tiledMatMul<T, tile><<<grid, block>>>(a, b, c, m, n, k);
}
}
int main() { float *a, *b, *c; course::launch<float>(a, b, c, 10, 20, 30); }
