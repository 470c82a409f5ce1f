// Sums of two rows of A and of two columns of B.
__global__ void rmm(const float *A, const float *B, float *C, int M, int N, int K)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < M / 2 && c < N / 2) {
        float s = 0;
        for (int k = 0; k < K; ++k)
            s += (A[2 * r * K + k] + A[(2 * r + 1) * K + k]) * (B[k * N + 2 * c] + B[k * N + 2 * c + 1]);
        C[r * (N / 2) + c] = s;
    }
}
