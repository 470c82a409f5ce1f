// 일정 간격(stride)으로 놓인 배치 행렬곱  C_b = A_b * B_b  (행 우선)
//   A_b = A + b * strideA  (m x k),  B_b = B + b * strideB  (k x n),  C_b = C + b * strideC  (m x n)
// 배치가 아주 많아도 되도록 z 방향 블록 하나가 여러 배치를 차례로 계산한다.
#include <cuda_runtime.h>
#include <algorithm>

template <typename T, int TILE>
__global__ void batchedGemm(const T* __restrict__ A, long long strideA,
                            const T* __restrict__ B, long long strideB,
                            T* __restrict__ C, long long strideC,
                            int m, int n, int k, int batch)
{
    __shared__ T As[TILE][TILE + 1];
    __shared__ T Bs[TILE][TILE + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
    T acc = T(0);

    for (int b = blockIdx.z; b < batch; b += gridDim.z) {
        const T* a = A + b * strideA;
        const T* bm = B + b * strideB;
        T* c = C + b * strideC;

        for (int t = 0; t < k; t += TILE) {
            As[ty][tx] = (row < m && t + tx < k) ? a[(long long)row * k + t + tx] : T(0);
            Bs[ty][tx] = (t + ty < k && col < n) ? bm[(long long)(t + ty) * n + col] : T(0);
            __syncthreads();
#pragma unroll
            for (int i = 0; i < TILE; ++i)
                acc += As[ty][i] * Bs[i][tx];
            __syncthreads();
        }

        if (row < m && col < n)
            c[(long long)row * n + col] = acc;
    }
}

// 호출 함수: z 방향 블록은 최대 64개
void runBatched(const float* A, const float* B, float* C, int m, int n, int k, int batch)
{
    constexpr int TILE = 16;
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, std::min(batch, 64));
    batchedGemm<float, TILE><<<grid, block>>>(A, (long long)m * k, B, (long long)k * n,
                                              C, (long long)m * n, m, n, k, batch);
}
