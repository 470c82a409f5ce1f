// C = A * B, float, row-major; A is M x K, B is K x N. Any M, N, K.
// A block takes one strip of T rows of C and goes through STRIP tiles of it,
// one after the other.
//
// Launch:
//   dim3 threads(T, T);
//   dim3 blocks((N + T * STRIP - 1) / (T * STRIP), (M + T - 1) / T);
//   strip_matmul<T, STRIP><<<blocks, threads>>>(A, B, C, M, N, K);

template <int T, int STRIP>
__global__ void strip_matmul(const float* __restrict__ A, const float* __restrict__ B,
                             float* __restrict__ C, int M, int N, int K)
{
    __shared__ float tileA[T][T];
    __shared__ float tileB[T][T];

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int row = blockIdx.y * T + ly;
    float dot = 0.0f;

    for (int s = 0; s < STRIP; ++s) {
        const int first = (blockIdx.x * STRIP + s) * T;
        if (first >= N)
            break;
        const int col = first + lx;

        for (int k = 0; k < K; k += T) {
            tileA[ly][lx] = (row < M && k + lx < K) ? A[row * K + (k + lx)] : 0.0f;
            tileB[ly][lx] = (col < N && k + ly < K) ? B[(k + ly) * N + col] : 0.0f;
            __syncthreads();
            for (int i = 0; i < T; ++i)
                dot = fmaf(tileA[ly][i], tileB[i][lx], dot);
            __syncthreads();
        }

        if (row < M && col < N)
            C[row * N + col] = dot;
    }
}

template __global__ void strip_matmul<16, 4>(const float*, const float*, float*, int, int, int);
