// double precision product with two buffers; one barrier per step is enough
constexpr int TS = 8;

__device__ inline double fetch(const double* p, int r, int c, int rows, int cols)
{
    return (r < rows && c < cols) ? p[(size_t)r * cols + c] : 0.0;
}

__global__ void __launch_bounds__(TS * TS)
dgemm_pp(const double* A, const double* B, double* C, int M, int N, int K)
{
    __shared__ double sa[2][TS][TS];
    __shared__ double sb[2][TS][TS];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    const int tiles = (K + TS - 1) / TS;

    sa[0][ty][tx] = fetch(A, row, tx, M, K);
    sb[0][ty][tx] = fetch(B, ty, col, K, N);

    double sum = 0.0;
    for (int t = 0; t < tiles; ++t)
    {
        const int now = t & 1;
        __syncthreads();
        if (t + 1 < tiles)
        {
            sa[now ^ 1][ty][tx] = fetch(A, row, (t + 1) * TS + tx, M, K);
            sb[now ^ 1][ty][tx] = fetch(B, (t + 1) * TS + ty, col, K, N);
        }
        for (int k = 0; k < TS; ++k)
            sum = fma(sa[now][ty][k], sb[now][k][tx], sum);
    }

    if (row >= M || col >= N) return;
    C[(size_t)row * N + col] = sum;
}

void launch_dgemm(const double* A, const double* B, double* C, int M, int N, int K)
{
    dim3 threads(TS, TS);
    dim3 blocks((N - 1) / TS + 1, (M - 1) / TS + 1);
    dgemm_pp<<<blocks, threads>>>(A, B, C, M, N, K);
}
