// Double-buffered SGEMM: while tile t is multiplied, tile t+1 is fetched.
// C[M,N] = A[M,K] * B[K,N], row-major, any sizes. Block (TX, TY), grid over C.
#include <cuda_runtime.h>

#define TX 32        // columns of C per block
#define TY 16        // rows of C per block
#define TK 16        // depth

struct Stage {
    float a[TY][TK];
    float b[TK][TX];
};

static __device__ __forceinline__ void loadStage(Stage &st, const float *A, const float *B,
                                                 int row0, int col0, int k0,
                                                 int M, int N, int K)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    if (tx < TK) {
        const int r = row0 + ty, k = k0 + tx;
        st.a[ty][tx] = (r < M && k < K) ? A[r * K + k] : 0.f;
    }
    const int k = k0 + ty, c = col0 + tx;
    st.b[ty][tx] = (k < K && c < N) ? B[k * N + c] : 0.f;
}

__global__ void sgemmDB(const float *__restrict__ A, const float *__restrict__ B,
                        float *__restrict__ C, int M, int N, int K)
{
    __shared__ Stage stage[2];

    const int row0 = blockIdx.y * TY, col0 = blockIdx.x * TX;
    const int tiles = (K + TK - 1) / TK;

    float acc = 0.f;
    int cur = 0;
    loadStage(stage[cur], A, B, row0, col0, 0, M, N, K);
    __syncthreads();

    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles)
            loadStage(stage[cur ^ 1], A, B, row0, col0, (t + 1) * TK, M, N, K);

        const Stage &s = stage[cur];
        #pragma unroll
        for (int k = 0; k < TK; ++k)
            acc += s.a[threadIdx.y][k] * s.b[k][threadIdx.x];

        __syncthreads();
    }

    const int r = row0 + threadIdx.y, c = col0 + threadIdx.x;
    if (r < M && c < N)
        C[r * N + c] = acc;
}

void sgemm(const float *dA, const float *dB, float *dC, int M, int N, int K, cudaStream_t s)
{
    dim3 block(TX, TY);
    dim3 grid((N + TX - 1) / TX, (M + TY - 1) / TY);
    sgemmDB<<<grid, block, 0, s>>>(dA, dB, dC, M, N, K);
}
