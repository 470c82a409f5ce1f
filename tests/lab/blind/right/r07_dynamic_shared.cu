// Matrix multiplication with dynamic shared memory.
// A is m x k, B is k x n, C is m x n, everything row major.
//
// How to call it: square blocks of any side length T (for example 16), the
// dynamic shared memory has to hold two T x T float tiles, so pass
// 2*T*T*sizeof(float) as third launch parameter. Grid: columns in x, rows in y,
// both rounded up.

extern __shared__ float smem[];

__global__ void MatMulDyn(const float* A, const float* B, float* C, int m, int k, int n)
{
    const int T = blockDim.x;          // == blockDim.y
    float* tileA = smem;
    float* tileB = smem + T * T;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * T + ty;
    int col = blockIdx.x * T + tx;

    float sum = 0;
    int phases = (k + T - 1) / T;
    for (int p = 0; p < phases; p++)
    {
        int kA = p * T + tx;
        int kB = p * T + ty;

        tileA[ty * T + tx] = 0;
        if (row < m && kA < k) tileA[ty * T + tx] = A[row * k + kA];

        tileB[ty * T + tx] = 0;
        if (kB < k && col < n) tileB[ty * T + tx] = B[kB * n + col];

        __syncthreads();

        for (int i = 0; i < T; i++)
            sum += tileA[ty * T + i] * tileB[i * T + tx];

        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = sum;
}
