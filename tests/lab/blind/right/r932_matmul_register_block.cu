// C(MxN) = A(MxK) * B(KxN). 256 threads in one dimension, 64x64 outputs per block,
// 4x4 outputs per thread, panels of depth 8.
constexpr int BM = 64, BN = 64, BK = 8;
constexpr int TM = 4, TN = 4;
constexpr int NT = (BM / TM) * (BN / TN);

__global__ __launch_bounds__(NT)
void gemm_reg(int M, int N, int K,
              const float* __restrict__ A,
              const float* __restrict__ B,
              float* __restrict__ C)
{
    __shared__ float As[BK][BM + 1];   // A panel, transposed
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);
    const int tc = tid % (BN / TN);
    const int m0 = blockIdx.x * BM;
    const int n0 = blockIdx.y * BN;

    float c[TM][TN] = {};
    float a[TM], b[TN];

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += NT) {
            int r = e / BK, k = e % BK;
            float v = 0.f;
            if (m0 + r < M && k0 + k < K) v = A[(m0 + r) * K + k0 + k];
            As[k][r] = v;
        }
        for (int e = tid; e < BK * BN; e += NT) {
            int k = e / BN, n = e % BN;
            float v = 0.f;
            if (k0 + k < K && n0 + n < N) v = B[(k0 + k) * N + n0 + n];
            Bs[k][n] = v;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i) a[i] = As[k][tr * TM + i];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc + j * (BN / TN)];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    c[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        int m = m0 + tr * TM + i;
        if (m >= M) break;
        for (int j = 0; j < TN; ++j) {
            int n = n0 + tc + j * (BN / TN);
            if (n < N) C[m * N + n] = c[i][j];
        }
    }
}

// grid.x runs along the rows of C, grid.y along its columns
void gemm(int M, int N, int K, const float* A, const float* B, float* C)
{
    dim3 g((M + BM - 1) / BM, (N + BN - 1) / BN);
    gemm_reg<<<g, NT>>>(M, N, K, A, B, C);
}
