// y = A x in double precision, one block per row of A, partial sums in dynamic shared memory.
// threads must be a power of two.
__global__ void row_block(const double *A, const double *x, double *y, int cols)
{
    extern __shared__ double sums[];
    const int t = threadIdx.x;
    const double *row = A + (size_t)blockIdx.x * cols;

    double s = 0.0;
    for (int c = t; c < cols; c += blockDim.x)
        s += row[c] * x[c];
    sums[t] = s;
    __syncthreads();

    for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = sums[0];
}

void dmatvec(const double *A, const double *x, double *y, int rows, int cols, int threads)
{
    size_t bytes = threads * sizeof(float);
    row_block<<<rows, threads, bytes>>>(A, x, y, cols);
}
