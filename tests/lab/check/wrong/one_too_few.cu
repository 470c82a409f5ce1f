// All three lie column after column.
__global__ void gemm(int m, int n, int k, const double *A, const double *B, double *C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) {
        double s = 0;
        for (int l = 0; l < k - 1; ++l) s += A[i + l * m] * B[l + j * k];
        C[i + j * m] = s;
    }
}
