/*
 * Shared memory matrix multiplication, 16 x 16 threads per block.
 * A is M x K, B is K x N. Sizes need not be multiples of 16.
 */
__global__ void sharedMM(const float *A, const float *B, float *C, int M, int N, int K)
{
    const int T = 16;
    __shared__ float subA[16][16];
    __shared__ float subB[16][16];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = y + blockIdx.y * T;
    int col = x + blockIdx.x * T;

    float dot = 0.0f;
    for (int tile = 0; tile * T < K; tile++) {
        int p = tile * T + x;
        int q = tile * T + y;
        subA[y][x] = (row < M && p < K) ? A[row * K + p] : 0.0f;
        subB[y][x] = (q < K && col < N) ? B[q * N + col] : 0.0f;
        if (row < M && col < N) {
            __syncthreads();
            for (int i = 0; i < T; i++)
                dot += subA[y][i] * subB[i][x];
            __syncthreads();
        }
    }

    if (row < M && col < N)
        C[row * N + col] = dot;
}
