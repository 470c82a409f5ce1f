// 縮小行列積 (reduced matrix multiplication)
//   C[i][j] = Σ_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A: M×K, B: K×N, C: (M/2)×(N/2)。M, N が奇数のとき最後の行・列は使わない。
//
// 元のタイルをそのまま共有メモリに置き、足し算は計算のときにする。
// block = (TS, TS), grid = (ceil((N/2)/TS), ceil((M/2)/TS))

constexpr int TS = 16;

__global__ void reducedMatMul(const float* __restrict__ A, int M,
                              const float* __restrict__ B, int N,
                              float* __restrict__ C, int K)
{
    __shared__ float As[2 * TS][TS];      // C の TS 行 = A の 2*TS 行
    __shared__ float Bs[TS][2 * TS];      // C の TS 列 = B の 2*TS 列

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int rowA0 = 2 * blockIdx.y * TS;
    const int colB0 = 2 * blockIdx.x * TS;

    float acc = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TS) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            // A: 上半分と下半分
            const int ra = rowA0 + h * TS + ty;
            const int ka = k0 + tx;
            As[h * TS + ty][tx] = (ra < M && ka < K) ? A[ra * K + ka] : 0.0f;

            // B: 左半分と右半分
            const int kb = k0 + ty;
            const int cb = colB0 + h * TS + tx;
            Bs[ty][h * TS + tx] = (kb < K && cb < N) ? B[kb * N + cb] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TS; ++k) {
            const float a = As[2 * ty][k] + As[2 * ty + 1][k];
            const float b = Bs[k][2 * tx] + Bs[k][2 * tx + 1];
            acc += a * b;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * TS + ty;
    const int j = blockIdx.x * TS + tx;
    if (i < M / 2 && j < N / 2)
        C[i * (N / 2) + j] = acc;
}
