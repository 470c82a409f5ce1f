// y = A x. One thread per row; the vector goes through shared memory in pieces.
// A is m x n, row major.  mvShared<<<(m + P - 1) / P, P>>>(A, x, y, m, n);
#define P 64

__global__ void mvShared(const double *A, const double *x, double *y, int m, int n)
{
    __shared__ double piece[P];
    int row = blockIdx.x * P + threadIdx.x;
    double sum = 0;

    for (int start = 0; start < n; start += P) {
        int c = start + threadIdx.x;
        if (row < m && c < n)
            piece[threadIdx.x] = x[c];
        else
            piece[threadIdx.x] = 0;
        __syncthreads();

        if (row < m) {
            int last = min(P, n - start);
            for (int j = 0; j < last; j++)
                sum += A[(long)row * n + start + j] * piece[j];
        }
        __syncthreads();
    }

    if (row < m)
        y[row] = sum;
}
