// Matrix times vector, y = A x, A is m x n row-major, one thread per row.
// The vector is read in pieces of BS elements into shared memory, every piece
// is used by all rows of the block.
//
// matvec<<<(m + BS - 1) / BS, BS>>>(A, x, y, m, n);

#define BS 128

__global__ void matvec(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[BS];

    int row = blockIdx.x * BS + threadIdx.x;
    if (row >= m)
        return;

    float sum = 0.0f;
    for (int j0 = 0; j0 < n; j0 += BS) {
        int len = min(BS, n - j0);

        if (threadIdx.x < len)
            xs[threadIdx.x] = x[j0 + threadIdx.x];
        __syncthreads();

        for (int j = 0; j < len; j++)
            sum += A[(size_t)row * n + j0 + j] * xs[j];
        __syncthreads();
    }

    y[row] = sum;
}
