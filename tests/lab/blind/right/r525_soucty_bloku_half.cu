// Úloha 7: C = součty bloků 2x2 součinu A*B.
//
// A je m x k, B je k x n (obě v half, po řádcích, s krokem lda >= k a ldb >= n),
// C je (m/2) x (n/2) ve float s krokem ldc >= n/2.  m a n musí být sudá.
//
// Spouští se s libovolnou 2D mřížkou i blokem, např. grid(8, 8), block(32, 4):
// vlákna se posouvají o celou mřížku, dokud není hotovo.
#include <cuda_fp16.h>

__device__ inline float f(const __half *p, int i)
{
    return __half2float(p[i]);
}

__global__ void soucty_bloku(const __half *A, int lda, const __half *B, int ldb,
                             float *C, int ldc, int m, int n, int k)
{
    const int krok_i = gridDim.y * blockDim.y;
    const int krok_j = gridDim.x * blockDim.x;

    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < m / 2; i += krok_i) {
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n / 2; j += krok_j) {
            const __half *horni = A + (size_t)(2 * i) * lda;
            const __half *dolni = horni + lda;

            // čtyři prvky součinu A*B, které patří do jednoho bloku
            float c00 = 0.f, c01 = 0.f, c10 = 0.f, c11 = 0.f;
            for (int q = 0; q < k; ++q) {
                const __half *rb = B + (size_t)q * ldb;
                float a0 = f(horni, q), a1 = f(dolni, q);
                float b0 = f(rb, 2 * j), b1 = f(rb, 2 * j + 1);
                c00 += a0 * b0;
                c01 += a0 * b1;
                c10 += a1 * b0;
                c11 += a1 * b1;
            }
            C[(size_t)i * ldc + j] = (c00 + c01) + (c10 + c11);
        }
    }
}
