// A thread for each row.
__global__ void rows(const float *A, const float *B, float *C, int M, int K, int N)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < M)
        for (int c = 0; c < N; ++c) {
            float s;
            for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
            C[r * N + c] = s;
        }
}
