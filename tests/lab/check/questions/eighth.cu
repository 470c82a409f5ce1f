__global__ void scores(const float *Q, const float *K, float *S, int n, int d) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < d; ++k) sum += Q[row * d + k] * K[col * d + k];
    S[row * n + col] = 0.125f * sum;
}
