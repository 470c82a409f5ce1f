// Reduced product with warp shuffles: a warp covers 32 columns of P.
// block (32, 4); grid (ceil(n/32), ceil((m/2)/4)); m and n even
#define FULL_MASK 0xffffffffu

__global__ void reducedWarp(const double *A, const double *B, double *C, int m, int n, int p)
{
    const int lane = threadIdx.x;
    const int col = blockIdx.x * 32 + lane;
    const int i = blockIdx.y * 4 + threadIdx.y;
    const int m2 = m / 2, n2 = n / 2;

    double top = 0.0, bottom = 0.0;
    if (i < m2 && col < n) {
        for (int k = 0; k < p; ++k) {
            const double b = __ldg(&B[k * n + col]);
            top += A[(2 * i) * p + k] * b;
            bottom += A[(2 * i + 1) * p + k] * b;
        }
    }

    double own = top + bottom;
    own += __shfl_down_sync(FULL_MASK, own, 2);

    if (lane % 2 == 0 && i < m2 && col < n)
        C[i * n2 + col / 2] = own;
}
