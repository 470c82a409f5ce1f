// Double buffering: the next tiles are fetched while the current ones are used
// block (16,16), grid (ceil(N/16), ceil(M/16))
#define TS 16

__global__ void gemmPrefetch(const float *__restrict__ A, const float *__restrict__ B,
                             float *__restrict__ C, int M, int N, int K)
{
    __shared__ float As[2][TS][TS];
    __shared__ float Bs[2][TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    const int steps = (K + TS - 1) / TS;
    int cur = 0;
    float sum = 0.f;

    As[0][ty][tx] = (row < M && tx < K) ? A[row * K + tx] : 0.f;
    Bs[0][ty][tx] = (ty < K && col < N) ? B[ty * N + col] : 0.f;
    __syncthreads();

    for (int s = 0; s < steps; ++s) {
        float nextA = 0.f, nextB = 0.f;
        const int ka = (s + 1) * TS + tx, kb = (s + 1) * TS + ty;
        if (row < M && ka < K) nextA = A[row * K + ka];
        if (kb < K && col < N) nextB = B[kb * N + col];

        for (int k = 0; k < TS; ++k)
            sum += As[cur][ty][k] * Bs[cur][k][tx];

        As[cur][ty][tx] = nextA;
        Bs[cur][ty][tx] = nextB;
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
