__global__ void columns(const float *A, const float *B, float *C, int M, int K, int N)
{
    int c = threadIdx.x + blockIdx.x * blockDim.x;
    if (c >= N) return;
    for (int r = 0; r < M; ++r) {
        float s = 0;
        for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}
