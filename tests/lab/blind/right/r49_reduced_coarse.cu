// "Reduced" product, task 3 b)
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// with dynamic shared memory and square thread blocks.
//
// m and n are the rows and columns of C, so A has 2m rows and B has 2n columns.
// dynamic shared memory: two tiles of blockDim.x * blockDim.x floats.
// grid: x = columns of C / block size, y = rows of C / block size, rounded up

__device__ float pairRow(const float* A, int i, int k, int m, int K)
{
    if (i >= m || k >= K) return 0.0f;
    int top = 2 * i;
    return A[top * K + k] + A[(top + 1) * K + k];
}

__device__ float pairCol(const float* B, int k, int j, int n, int K)
{
    if (j >= n || k >= K) return 0.0f;
    const float* p = B + k * (2 * n) + 2 * j;
    return p[0] + p[1];
}

__global__ void reduced_product(float* C, const float* A, const float* B, int m, int n, int K)
{
    extern __shared__ float buffer[];
    int bs = blockDim.x;
    float* sa = buffer;
    float* sb = &buffer[bs * bs];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * bs + ty;
    int j = blockIdx.x * bs + tx;

    float r = 0.0f;
    for (int k0 = 0; k0 < K; k0 += bs) {
        sa[ty * bs + tx] = pairRow(A, i, k0 + tx, m, K);
        sb[ty * bs + tx] = pairCol(B, k0 + ty, j, n, K);
        __syncthreads();
        for (int k = 0; k < bs; k++)
            r += sa[ty * bs + k] * sb[k * bs + tx];
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = r;
}
