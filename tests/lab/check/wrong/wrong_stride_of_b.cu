// Two by two neighbouring elements for each thread, no shared memory.
__global__ void gemm2x2(int M, int N, int K, const double *a, const double *b, double *c)
{
    const int r = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    const int q = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    double s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int i = 0; i < K; ++i) {
        double a0 = r < M ? a[r * K + i] : 0, a1 = r + 1 < M ? a[(r + 1) * K + i] : 0;
        double b0 = q < N ? b[i * K + q] : 0, b1 = q + 1 < N ? b[i * N + q + 1] : 0;
        s00 += a0 * b0; s01 += a0 * b1; s10 += a1 * b0; s11 += a1 * b1;
    }
    if (r < M && q < N) c[r * N + q] = s00;
    if (r < M && q + 1 < N) c[r * N + q + 1] = s01;
    if (r + 1 < M && q < N) c[(r + 1) * N + q] = s10;
    if (r + 1 < M && q + 1 < N) c[(r + 1) * N + q + 1] = s11;
}
