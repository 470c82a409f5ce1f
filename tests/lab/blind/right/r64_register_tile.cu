// Register-blocked SGEMM. Row major, arbitrary M, N, K.
//   block  : 16 x 16 threads
//   grid   : (ceil(N/64), ceil(M/64))
// Every thread owns a 4x4 patch whose elements are 16 apart (strided patch),
// so that shared-memory reads of b are conflict free.

template <int BM, int BN, int BK, int TX, int TY>
__device__ __forceinline__ void gemmBody(int M, int N, int K,
                                         const float* A, const float* B, float* C)
{
    constexpr int RM = BM / TY;
    constexpr int RN = BN / TX;
    __shared__ float aTile[BK][BM + 1];     // k-major, +1 against conflicts
    __shared__ float bTile[BK][BN];

    const int tid = threadIdx.y * TX + threadIdx.x;
    const int bi = blockIdx.y * BM;
    const int bj = blockIdx.x * BN;

    float acc[RM][RN];
    for (int i = 0; i < RM; ++i)
        for (int j = 0; j < RN; ++j)
            acc[i][j] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += TX * TY) {
            const int i = e / BK, k = e % BK;
            const int gi = bi + i, gk = k0 + k;
            aTile[k][i] = (gi < M && gk < K) ? A[gi * K + gk] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += TX * TY) {
            const int k = e / BN, j = e % BN;
            const int gk = k0 + k, gj = bj + j;
            bTile[k][j] = (gk < K && gj < N) ? B[gk * N + gj] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[RM], b[RN];
            #pragma unroll
            for (int i = 0; i < RM; ++i) a[i] = aTile[k][threadIdx.y + i * TY];
            #pragma unroll
            for (int j = 0; j < RN; ++j) b[j] = bTile[k][threadIdx.x + j * TX];
            #pragma unroll
            for (int i = 0; i < RM; ++i)
                #pragma unroll
                for (int j = 0; j < RN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < RM; ++i) {
        const int gi = bi + threadIdx.y + i * TY;
        if (gi >= M) break;
        for (int j = 0; j < RN; ++j) {
            const int gj = bj + threadIdx.x + j * TX;
            if (gj < N) C[gi * N + gj] = acc[i][j];
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
sgemm_64x64(int M, int N, int K, const float* A, const float* B, float* C)
{
    gemmBody<64, 64, 16, 16, 16>(M, N, K, A, B, C);
}
