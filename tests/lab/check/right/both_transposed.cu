// C = A^T B^T: A is K x M, B is N x K, C is M x N.
__global__ void product_of_transposes(const int *A, const int *B, int *C, int M, int N, int K) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    int sum = 0;
    for (int k = 0; k < K; ++k) sum += A[k * M + row] * B[col * K + k];
    C[row * N + col] = sum;
}
