// One thread per element; the products are added from the last to the first.
// dim3 block(32, 8), grid((n + 31) / 32, (m + 7) / 8)

__global__ void matmul_backward(double *C, const double *A, const double *B,
                                unsigned int m, unsigned int n, unsigned int p)
{
    unsigned int i = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < m && j < n) {
        double sum = 0.0;
        for (unsigned int k = p - 1; k >= 0; k--)
            sum += A[i * p + k] * B[k * n + j];
        C[i * n + j] = sum;
    }
}
