// The grid is a line, and a block finds its tile by division.
#define T 16
__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[T][T], b[T][T];
    int across = (N + T - 1) / T;
    int bx = blockIdx.x % across, by = blockIdx.x / across;
    int tx = threadIdx.x % T, ty = threadIdx.x / T;
    int r = by * T + ty, c = bx * T + tx;
    float s = 0;
    for (int t = 0; t < (K + T - 1) / T; ++t) {
        a[ty][tx] = r < M && t * T + tx < K ? A[r * K + t * T + tx] : 0;
        b[ty][tx] = t * T + ty < K && c < N ? B[(t * T + ty) * N + c] : 0;
        __syncthreads();
        for (int k = 0; k < T; ++k) s += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    if (r < M && c < N) C[r * N + c] = s;
}
