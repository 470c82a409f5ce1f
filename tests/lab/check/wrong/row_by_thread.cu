__global__ void row_block(const int *A, const int *B, int *C, int m, int k, int n)
{
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        int s = 0;
        for (int i = 0; i < k; ++i) s += A[r * k + i] * B[i * n + r];
        C[r * n + c] = s;
    }
}
