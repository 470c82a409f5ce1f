// Algemeen matrixproduct op deelmatrices, met rijafstanden (lda, ldb, ldc):
//     C = alfa * A * B + beta * C
// A is m x k, B is k x n en C is m x n; lda >= k, ldb >= n, ldc >= n.
//
// Starten:
//     dim3 blok(ZIJDE, ZIJDE / PER);
//     dim3 rooster((n + ZIJDE - 1) / ZIJDE, (m + ZIJDE - 1) / ZIJDE);
//
// Elke draad rekent PER rijen uit, ZIJDE / PER uit elkaar.

template <typename T, int ZIJDE, int PER>
__global__ void gemm_ld(int m, int n, int k,
                        T alfa,
                        const T *__restrict__ A, int lda,
                        const T *__restrict__ B, int ldb,
                        T beta,
                        T *C, int ldc)
{
    static_assert(ZIJDE % PER == 0, "PER moet ZIJDE delen");
    constexpr int STAP = ZIJDE / PER;

    __shared__ T tegelA[ZIJDE][ZIJDE + 1];
    __shared__ T tegelB[ZIJDE][ZIJDE + 1];

    const int kx = threadIdx.x;
    const int ry = threadIdx.y;
    const int kolom = blockIdx.x * ZIJDE + kx;
    const int rijbegin = blockIdx.y * ZIJDE;

    T som[PER];
    #pragma unroll
    for (int q = 0; q < PER; ++q)
        som[q] = T(0);

    for (int p0 = 0; p0 < k; p0 += ZIJDE) {
        #pragma unroll
        for (int q = 0; q < PER; ++q) {
            const int r = ry + q * STAP;
            const int rij = rijbegin + r;
            const bool inA = rij < m && p0 + kx < k;
            const bool inB = p0 + r < k && kolom < n;
            tegelA[r][kx] = inA ? A[(size_t)rij * lda + p0 + kx] : T(0);
            tegelB[r][kx] = inB ? B[(size_t)(p0 + r) * ldb + kolom] : T(0);
        }
        __syncthreads();

        #pragma unroll 8
        for (int p = 0; p < ZIJDE; ++p) {
            const T b = tegelB[p][kx];
            #pragma unroll
            for (int q = 0; q < PER; ++q)
                som[q] += tegelA[ry + q * STAP][p] * b;
        }
        __syncthreads();
    }

    if (kolom >= n)
        return;
    #pragma unroll
    for (int q = 0; q < PER; ++q) {
        const int rij = rijbegin + ry + q * STAP;
        if (rij < m) {
            T *doel = C + (size_t)rij * ldc + kolom;
            // bij beta == 0 wordt de oude waarde niet gelezen
            *doel = (beta == T(0)) ? alfa * som[q] : alfa * som[q] + beta * *doel;
        }
    }
}

template __global__ void gemm_ld<float, 32, 4>(int, int, int, float, const float *, int,
                                               const float *, int, float, float *, int);
template __global__ void gemm_ld<double, 16, 2>(int, int, int, double, const double *, int,
                                                const double *, int, double, double *, int);
