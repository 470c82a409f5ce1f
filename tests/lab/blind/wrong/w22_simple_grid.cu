// naive version for comparison; one thread = one element of C (m x n), inner size p
__global__ void simple(const float *A, const float *B, float *C, int m, int n, int p)
{
    int i = threadIdx.y + blockDim.y * blockIdx.y;
    int j = threadIdx.x + blockDim.x * blockIdx.x;

    if (i < m && j <= n) {
        float acc = 0.0f;
        for (int l = 0; l < p; l++)
            acc += A[i * p + l] * B[l * n + j];
        C[i * n + j] = acc;
    }
}
