// 1-D blocks: each thread is responsible for one whole row of the M x N result
__global__ void threadRow(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        for (int col = 0; col < N; col++) {
            float sum = 0.0f;
            for (int k = 0; k <= K; k++)
                sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
    }
}
