// 规约矩阵乘法：把 A*B 的结果按 2x2 小方块求和
// A: M x K, B: K x N, R: ceil(M/2) x ceil(N/2)，整数类型（结果不超出 int）
// M、N 可以是奇数：最后一行（列）没有伙伴时，只算它自己
#include <cuda_runtime.h>

#define BX 16
#define BY 16
#define BK 32

__global__ void guiyue(const int* __restrict__ A, const int* __restrict__ B,
                       int* __restrict__ R, int M, int N, int K)
{
    __shared__ int sa[BY][BK];
    __shared__ int sb[BK][BX];

    int rm = (M + 1) / 2;
    int rn = (N + 1) / 2;
    int tx = threadIdx.x, ty = threadIdx.y;
    int hang = blockIdx.y * BY + ty;
    int lie  = blockIdx.x * BX + tx;
    int he = 0;

    for (int k0 = 0; k0 < K; k0 += BK) {
        // A 的两行相加
        for (int c = tx; c < BK; c += BX) {
            int v = 0;
            int k = k0 + c;
            if (hang < rm && k < K) {
                v = A[(size_t)(2 * hang) * K + k];
                if (2 * hang + 1 < M)
                    v += A[(size_t)(2 * hang + 1) * K + k];
            }
            sa[ty][c] = v;
        }
        // B 的两列相加
        for (int r = ty; r < BK; r += BY) {
            int v = 0;
            int k = k0 + r;
            if (lie < rn && k < K) {
                const int* p = B + (size_t)k * N + 2 * lie;
                v = p[0] + p[1];
            }
            sb[r][tx] = v;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k)
            he += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }

    if (hang < rm && lie < rn)
        R[(size_t)hang * rn + lie] = he;
}

void guiyue_qidong(const int* dA, const int* dB, int* dR, int M, int N, int K, cudaStream_t st)
{
    dim3 kuai(BX, BY);
    dim3 wangge(((N + 1) / 2 + BX - 1) / BX, ((M + 1) / 2 + BY - 1) / BY);
    guiyue<<<wangge, kuai, 0, st>>>(dA, dB, dR, M, N, K);
}
