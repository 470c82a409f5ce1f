__global__ void gram(const float *A, float *G, int n, int d) {
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= n || j >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < d; ++k) sum += A[i * d + k] * A[j * d + k];
    G[i * n + j] = sum;
}
