__global__ void layer(const float *X, const float *W, float *Y, int M, int N, int K) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += X[row * K + k] * W[k * N + col];
    Y[row * N + col] = fmaxf(sum, 0.0f);
}
