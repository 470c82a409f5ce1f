// y = alpha * A * x + beta * y  (A: M x N, row major)
// One block handles RPB rows, all its threads walk along the columns together.
// gemv<<<(M + RPB - 1) / RPB, NT>>>(...)

#define NT 128
#define RPB 4

__global__ void gemv(float alpha, const float* A, const float* x, float beta, float* y, int M, int N)
{
    __shared__ float red[RPB][NT];
    const int t = threadIdx.x;
    const int r0 = blockIdx.x * RPB;

    float s[RPB];
    for (int r = 0; r < RPB; ++r) s[r] = 0.f;

    for (int c = t; c < N; c += NT) {
        float xc = x[c];
        for (int r = 0; r < RPB; ++r) {
            int row = min(r0 + r, M - 1);     // rows past the end repeat the last one
            s[r] += A[(size_t)row * N + c] * xc;
        }
    }
    for (int r = 0; r < RPB; ++r) red[r][t] = s[r];
    __syncthreads();

    // 32 threads per row from here on, 4 values each
    const int r = t / 32, l = t % 32;
    float v = red[r][l] + red[r][l + 32] + red[r][l + 64] + red[r][l + 96];
    v += __shfl_xor_sync(0xffffffff, v, 16);
    v += __shfl_xor_sync(0xffffffff, v, 8);
    v += __shfl_xor_sync(0xffffffff, v, 4);
    v += __shfl_xor_sync(0xffffffff, v, 2);
    v += __shfl_xor_sync(0xffffffff, v, 1);

    if (l == 0 && r0 + r < M)
        y[r0 + r] = alpha * v + beta * y[r0 + r];
}
