// Double-precision matrix product with a flat block of 128 threads.
// Block tile 32 x 16; each thread sums four entries of one column.
template <int BR, int BC, int BD>
__global__ void dgemm_flat(const double *__restrict__ A, const double *__restrict__ B,
                           double *__restrict__ C, int nr, int nd, int nc)
{
    __shared__ double pa[BD][BR];      // transposed
    __shared__ double pb[BD][BC];
    constexpr int STEP = 128 / BC;     // 8 rows apart
    constexpr int EACH = BR / STEP;

    const int t = threadIdx.x;
    const int row0 = blockIdx.y * BR;
    const int col0 = blockIdx.x * BC;
    const int lc = t % BC, lr = t / BC;
    double acc[EACH] = {0};

    for (int d0 = 0; d0 < nd; d0 += BD) {
        for (int e = t; e < BR * BD; e += 128) {
            int r = e / BD, d = e % BD;
            pa[d][r] = (row0 + r < nr && d0 + r < nd) ? A[(size_t)(row0 + r) * nd + d0 + d] : 0.0;
        }
        for (int e = t; e < BD * BC; e += 128) {
            int d = e / BC, c = e % BC;
            pb[d][c] = (d0 + d < nd && col0 + c < nc) ? B[(size_t)(d0 + d) * nc + col0 + c] : 0.0;
        }
        __syncthreads();
        for (int d = 0; d < BD; ++d) {
            double b = pb[d][lc];
            for (int g = 0; g < EACH; ++g)
                acc[g] += pa[d][lr + g * STEP] * b;
        }
        __syncthreads();
    }

    for (int g = 0; g < EACH; ++g) {
        int r = row0 + lr + g * STEP;
        if (r < nr && col0 + lc < nc)
            C[(size_t)r * nc + col0 + lc] = acc[g];
    }
}

void dgemm(const double *A, const double *B, double *C, int nr, int nd, int nc)
{
    dim3 grid((nc + 15) / 16, (nr + 31) / 32);
    dgemm_flat<32, 16, 16><<<grid, 128>>>(A, B, C, nr, nd, nc);
}
