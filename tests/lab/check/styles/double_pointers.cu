__global__ void mul(float** A, float** B, float** C, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        float s = 0;
        for (int k = 0; k < n; ++k) s += A[i][k] * B[k][j];
        C[i][j] = s;
    }
}
