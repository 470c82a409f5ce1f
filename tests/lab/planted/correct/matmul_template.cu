// Tiled matrix multiplication for any element type and tile; any sizes. Style: templates.

template <typename T, int TILE>
__global__ void matmul(const T* A, const T* B, T* C, int m, int n, int k)
{
    __shared__ T As[TILE][TILE];
    __shared__ T Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    T sum = 0;
    for (int t = 0; t < k; t += TILE) {
        As[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : T(0);
        Bs[ty][tx] = t + ty < k && col < n ? B[(t + ty) * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

template __global__ void matmul<double, 12>(const double*, const double*, double*, int, int, int);
