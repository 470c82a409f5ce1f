// x counts the rows.
__global__ void MatMul(float *A, float *B, float *C, int m, int n, int p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < p) {
        float t = 0;
        for (int k = 0; k < n; k++) t += A[i * n + k] * B[k * p + j];
        C[i * p + j] = t;
    }
}
