// 64x64 output tile per block, 256 threads, 4x4 outputs per thread, float4 traffic.
// Requirements: K % 4 == 0 and N % 4 == 0, pointers 16-byte aligned. M is free.
#include <cuda_runtime.h>

#define BM 64
#define BN 64
#define BK 16

__global__ __launch_bounds__(256)
void sgemm64(int M, int N, int K,
             const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ __align__(16) float As[BK][BM];   // transposed while loading
    __shared__ __align__(16) float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    const int aRow = tid / (BK / 4);          // 0..63
    const int aCol = (tid % (BK / 4)) * 4;    // 0,4,8,12
    const int bRow = tid / (BN / 4);          // 0..15
    const int bCol = (tid % (BN / 4)) * 4;    // 0,4,..,60

    const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
    float acc[4][4] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        float4 a = zero, b = zero;
        if (row0 + aRow < M && k0 + aCol < K)
            a = *reinterpret_cast<const float4 *>(&A[(row0 + aRow) * K + k0 + aCol]);
        if (k0 + bRow < K && col0 + bCol < N)
            b = *reinterpret_cast<const float4 *>(&B[(k0 + bRow) * N + col0 + bCol]);

        As[aCol + 0][aRow] = a.x;
        As[aCol + 1][aRow] = a.y;
        As[aCol + 2][aRow] = a.z;
        As[aCol + 3][aRow] = a.w;
        *reinterpret_cast<float4 *>(&Bs[bRow][bCol]) = b;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float4 u = *reinterpret_cast<const float4 *>(&As[k][ty * 4]);
            float4 v = *reinterpret_cast<const float4 *>(&Bs[k][tx * 4]);
            float ua[4] = {u.x, u.y, u.z, u.w};
            float vb[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += ua[i] * vb[j];
        }
        __syncthreads();
    }

    const int col = col0 + tx * 4;
    if (col < N) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = row0 + ty * 4 + i;
            if (row < M)
                *reinterpret_cast<float4 *>(&C[row * N + col]) =
                    make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        }
    }
}

void sgemm(const float *dA, const float *dB, float *dC, int M, int N, int K, cudaStream_t s)
{
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemm64<<<grid, 256, 0, s>>>(M, N, K, dA, dB, dC);
}
