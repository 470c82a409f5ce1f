// 배치 행렬곱: 각 b에 대해  C[b] = A[b]^T * B[b]
//   A[b] : k x m (행 우선), B[b] : k x n (행 우선), C[b] : m x n (행 우선)
// 행렬들은 서로 떨어진 메모리에 있으므로 포인터 배열(디바이스 메모리)로 받는다.
// gridDim.z 는 배치 수보다 작아도 된다 (z 방향으로 건너뛰며 처리). m <= 2000000.
//
// 실행:
//   dim3 block(32, 8);
//   dim3 grid((n + 31) / 32, (m + 31) / 32, min(batch, 65535));
//   batchedTN<<<grid, block>>>(dA, dB, dC, m, n, k, batch);
#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr int ROWS = 8;              // blockDim.y
constexpr int PER = TILE / ROWS;     // 스레드 하나가 맡는 결과 원소 수

__global__ void batchedTN(const float *const *A, const float *const *B, float *const *C,
                          int m, int n, int k, int batch)
{
    __shared__ float sA[TILE][TILE];   // sA[kk][i]
    __shared__ float sB[TILE][TILE];   // sB[kk][j]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row0 = blockIdx.y * TILE;
    const int col0 = blockIdx.x * TILE;

    for (int b = blockIdx.z; b < batch; b += gridDim.z) {
        const float *a = A[b];
        const float *bb = B[b];
        float sum[PER] = {};           // 배치마다 0에서 시작

        for (int k0 = 0; k0 < k; k0 += TILE) {
            for (int r = ty; r < TILE; r += ROWS) {
                const int kk = k0 + r;
                const int ia = row0 + tx;
                const int jb = col0 + tx;
                sA[r][tx] = (kk < k && ia < m) ? a[(long long)kk * m + ia] : 0.f;
                sB[r][tx] = (kk < k && jb < n) ? bb[(long long)kk * n + jb] : 0.f;
            }
            __syncthreads();

            for (int kk = 0; kk < TILE; kk++) {
                const float v = sB[kk][tx];
                #pragma unroll
                for (int p = 0; p < PER; p++)
                    sum[p] += sA[kk][ty + p * ROWS] * v;
            }
            __syncthreads();
        }

        const int j = col0 + tx;
        for (int p = 0; p < PER; p++) {
            const int i = row0 + ty + p * ROWS;
            if (i < m && j < n)
                C[b][(long long)i * n + j] = sum[p];
        }
    }
}
