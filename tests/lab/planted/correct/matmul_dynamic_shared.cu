// Tiled matrix multiplication whose tile is a parameter: both tiles lie in dynamic shared memory. Any sizes.
// Style: dynamic shared memory.

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    extern __shared__ float tiles[];
    int tile = blockDim.x;
    float* As = tiles;
    float* Bs = tiles + tile * tile;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * tile + ty;
    int col = blockIdx.x * tile + tx;

    float sum = 0;
    for (int t = 0; t < k; t += tile) {
        As[ty * tile + tx] = row < m && t + tx < k ? A[row * k + t + tx] : 0;
        Bs[ty * tile + tx] = t + ty < k && col < n ? B[(t + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            sum += As[ty * tile + i] * Bs[i * tile + tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
