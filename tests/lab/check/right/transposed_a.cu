// C = A^T B, A is K x M.
__global__ void atb(const float *A, const float *B, float *C, int M, int N, int K)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < M && c < N) {
        float s = 0;
        for (int k = 0; k < K; ++k) s += A[k * M + r] * B[k * N + c];
        C[r * N + c] = s;
    }
}
