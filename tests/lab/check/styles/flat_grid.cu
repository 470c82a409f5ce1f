// A line of threads, each one element of C: row and column by division.
__global__ void gemm_flat(const double* a, const double* b, double* c, unsigned int m, unsigned int k, unsigned int n)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= m * n) return;
    unsigned int r = idx / n, q = idx % n;
    double acc = 0;
    for (unsigned int i = 0; i < k; i++) acc += a[r * k + i] * b[i * n + q];
    c[idx] = acc;
}
