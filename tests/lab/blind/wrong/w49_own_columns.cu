#define T 16

// 16 x 16 threads per block, grid covers C; no restriction on the sizes
__global__ void ownColumns(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[T][T];
    __shared__ float Bs[T][T];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T + tx;
    float acc = 0.0f;

    for (int ka = tx; ka < K; ka += T) {
        const int kb = ka - tx + ty;
        As[ty][tx] = (row < M) ? A[row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();

        const int len = min(T, K - (ka - tx));
        for (int k = 0; k < len; ++k)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
