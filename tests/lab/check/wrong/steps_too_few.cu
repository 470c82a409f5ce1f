// tilewright: block 8,4 grid ceil(cols/8),ceil(rows/12) args A,B,C,rows,cols,inner
__global__ void odd(const float *A, const float *B, float *C, int M, int N, int K)
{
    int c = blockIdx.x * 8 + threadIdx.x;
    for (int step = 0; step < 2; ++step) {
        int r = blockIdx.y * 12 + step * 4 + threadIdx.y;
        if (r < M && c < N) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
            C[r * N + c] = s;
        }
    }
}
