// 256 threads in a row; thread t works at (t / 16, t % 16) of a 16 x 16 tile of C.
// gridDim.x = number of tiles in a row of C, gridDim.y = number of tiles in a column
// M, N, K arbitrary

static const size_t EDGE = 16;

__global__ void gemm_linear(double *C, const double *A, const double *B,
                            size_t M, size_t N, size_t K)
{
    __shared__ double As[EDGE * EDGE];
    __shared__ double Bs[EDGE * EDGE];

    const size_t t = threadIdx.x;
    const size_t r = t / EDGE;
    const size_t c = t % EDGE;
    const size_t row = blockIdx.y * EDGE + r;
    const size_t col = blockIdx.x * EDGE + c;

    double sum = 0.0;

    for (size_t k0 = 0; k0 < K; k0 += EDGE) {
        As[t] = row < M && k0 + c < K ? A[row * K + k0 + c] : 0.0;
        Bs[t] = k0 + r < K && col < N ? B[(k0 + r) * N + col] : 0.0;
        __syncthreads();

        double part = 0.0;
        for (size_t k = 0; k < EDGE; k++)
            part += As[r * EDGE + k] * Bs[k * EDGE + c];
        sum = part;
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
