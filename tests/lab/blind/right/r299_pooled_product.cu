// 行列積 C = A * B の 2x2 ブロック和 S を直接求める（C 自体は保存しない）。
//   A: M x K, B: K x N （行優先, int）  S: (M/2) x (N/2) （long long）
//   S[i][j] = C[2i][2j] + C[2i][2j+1] + C[2i+1][2j] + C[2i+1][2j+1]
// 条件: M と N は偶数。K は任意。
//
// 起動:
//   dim3 block(16, 16);
//   dim3 grid((N / 2 + 15) / 16, (M / 2 + 15) / 16);
//   pooledProduct<<<grid, block>>>(A, B, S, M, N, K);

#define T 16

__global__ void pooledProduct(const int *A, const int *B, long long *S,
                              int M, int N, int K)
{
    __shared__ int a[2 * T][T];
    __shared__ int b[T][2 * T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int rowBase = blockIdx.y * 2 * T;
    const int colBase = blockIdx.x * 2 * T;

    long long c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int k0 = 0; k0 < K; k0 += T) {
        // 各スレッドは A と B から 2 要素ずつ読む
        for (int h = 0; h < 2; ++h) {
            const int r = rowBase + ty + h * T;
            const int ka = k0 + tx;
            a[ty + h * T][tx] = (r < M && ka < K) ? A[r * K + ka] : 0;

            const int kb = k0 + ty;
            const int c = colBase + tx + h * T;
            b[ty][tx + h * T] = (kb < K && c < N) ? B[kb * N + c] : 0;
        }
        __syncthreads();

        for (int k = 0; k < T; ++k) {
            const long long a0 = a[2 * ty][k], a1 = a[2 * ty + 1][k];
            const long long b0 = b[k][2 * tx], b1 = b[k][2 * tx + 1];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * T + ty;
    const int j = blockIdx.x * T + tx;
    if (i < M / 2 && j < N / 2)
        S[i * (N / 2) + j] = c00 + c01 + c10 + c11;
}
