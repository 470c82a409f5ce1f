// Producte de matrius: la graella pot ser més petita que la matriu,
// cada bloc recorre les rajoles (tiles) que li toquen.
template <int R>
__device__ void carrega(float (&s)[R][R], const float *x, int ld,
                        int fila0, int col0, int files, int cols)
{
    int f = fila0 + threadIdx.y;
    int c = col0 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = (f < files && c < cols) ? x[(size_t)f * ld + c] : 0.f;
}

__global__ void __launch_bounds__(256)
producte(int M, int N, int K, const float *A, int lda, const float *B, int ldb, float *C, int ldc)
{
    constexpr int R = 16;
    __shared__ float a[R][R], b[R][R];

    const int rajolesM = (M + R - 1) / R;
    const int rajolesN = (N + R - 1) / R;

    for (int by = blockIdx.y; by < rajolesM; by += gridDim.y) {
        for (int bx = blockIdx.x; bx < rajolesN; bx += gridDim.x) {
            float suma = 0.f;
            for (int k0 = 0; k0 < K; k0 += R) {
                carrega<R>(a, A, lda, by * R, k0, M, K);
                carrega<R>(b, B, ldb, k0, bx * R, K, N);
                __syncthreads();
                #pragma unroll
                for (int k = 0; k < R; ++k)
                    suma = fmaf(a[threadIdx.y][k], b[k][threadIdx.x], suma);
                __syncthreads();
            }
            const int f = by * R + threadIdx.y;
            const int c = bx * R + threadIdx.x;
            if (f < M && c < N)
                C[(size_t)f * ldc + c] = suma;
        }
    }
}
