#include <cuda_runtime.h>

// 축소 행렬곱: A는 2m x k, B는 k x 2n, C는 m x n (모두 행 우선)
// C(i,j) = A*B 에서 (2i,2j) 위치의 2x2 칸 네 개의 합
// 블록 (32, 8): 워프 하나가 C의 원소 하나를 계산한다
__global__ void chuksoGop(const float* __restrict__ A, const float* __restrict__ B,
                          float* __restrict__ C, int m, int n, int k)
{
    int lane = threadIdx.x;
    int e = blockIdx.x * blockDim.y + threadIdx.y;
    if (e >= m * n) return;

    int i = e / n;
    int j = e % n;
    const float* wi = A + (size_t)(2 * i) * k;
    const float* arae = A + (size_t)(2 * i + 1) * k;

    float s = 0.0f;
    for (int p = lane; p < k; p += 32) {
        const float* b = B + (size_t)p * 2 * n + 2 * j;
        s += wi[p] * b[0] + arae[p] * b[1];
    }

    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);

    if (lane == 0)
        C[e] = s;
}

void chuksoGopSilhaeng(const float* A, const float* B, float* C, int m, int n, int k)
{
    dim3 block(32, 8);
    int grid = (m * n + 7) / 8;
    chuksoGop<<<grid, block>>>(A, B, C, m, n, k);
}
