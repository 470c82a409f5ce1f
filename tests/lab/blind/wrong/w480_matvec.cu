// y = A x with A stored by columns, m rows and n columns, leading dimension m.
// One thread per row, x goes through shared memory in pieces of 128.
// block: 128 threads, grid: (m + 127) / 128
#define PIECE 128

__global__ void gemv_cols(int m, int n, const float *A, const float *x, float *y)
{
    __shared__ float xs[PIECE];
    int row = blockIdx.x * PIECE + threadIdx.x;
    float sum = 0.0f;

    for (int base = 0; base < n; base += PIECE) {
        int len = min(PIECE, n - base);
        if (threadIdx.x < len)
            xs[threadIdx.x] = x[base + threadIdx.x];
        __syncthreads();

        if (row < m)
            for (int j = 0; j < len; j++)
                sum += A[row + (base + j) * n] * xs[j];
        __syncthreads();
    }

    if (row < m)
        y[row] = sum;
}
