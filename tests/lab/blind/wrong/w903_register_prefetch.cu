// The next pair of tiles waits in registers while the current pair is used.
// block (S, S), grid (ceil(N/S), ceil(M/S)), sizes arbitrary
#define S 32

__global__ void mmPrefetch(float* out, const float* lhs, const float* rhs, int M, int N, int K)
{
    __shared__ float L[S][S];
    __shared__ float R[S][S];

    const int row = blockIdx.y * S + threadIdx.y;
    const int col = blockIdx.x * S + threadIdx.x;

    float nextL = (row < M && threadIdx.x < K) ? lhs[row * K + threadIdx.x] : 0.0f;
    float nextR = (threadIdx.y < K && col < N) ? rhs[threadIdx.y * N + col] : 0.0f;
    float acc = 0.0f;

    for (int base = 0; base < K; base += S)
    {
        L[threadIdx.y][threadIdx.x] = nextL;
        R[threadIdx.y][threadIdx.x] = nextR;
        __syncthreads();

        int k = base + S + threadIdx.x;
        nextL = (row < M && k < K) ? lhs[row * K + k] : 0.0f;
        k = base + S + threadIdx.y;
        nextR = (k < K && col < N) ? rhs[k * N + col] : 0.0f;

        #pragma unroll 8
        for (int i = 0; i < S; ++i)
            acc = fmaf(L[threadIdx.y][i], R[i][threadIdx.x], acc);
    }

    if (row < M && col < N)
        out[row * N + col] = acc;
}
