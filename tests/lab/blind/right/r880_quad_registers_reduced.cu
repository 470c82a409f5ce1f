#include <cuda_runtime.h>

// Somma a blocchi 2x2 del prodotto: S = pool2x2(A*B), senza scrivere A*B in memoria globale.
// A: (2m) x k, B: k x (2n), S: m x n, per righe. m, n, k qualsiasi.
// Un blocco WxW copre 2Wx2W elementi del prodotto pieno; ogni thread ne tiene quattro.
template <typename T, int W = 16>
__global__ void poolProd(const T *A, const T *B, T *S, const int m, const int n, const int k)
{
    __shared__ T sa[2 * W][W + 1];
    __shared__ T sb[W][2 * W];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r0 = blockIdx.y * 2 * W, c0 = blockIdx.x * 2 * W;

    T q00 = 0, q01 = 0, q10 = 0, q11 = 0;

    for (int p = 0; p < k; p += W) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int r = ty + h * W;
            const int c = tx + h * W;
            sa[r][tx] = (r0 + r < 2 * m && p + tx < k) ? A[(size_t)(r0 + r) * k + p + tx] : T(0);
            sb[ty][c] = (p + ty < k && c0 + c < 2 * n) ? B[(size_t)(p + ty) * 2 * n + c0 + c] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < W; ++l) {
            const T a0 = sa[2 * ty][l], a1 = sa[2 * ty + 1][l];
            const T b0 = sb[l][2 * tx], b1 = sb[l][2 * tx + 1];
            q00 += a0 * b0;
            q01 += a0 * b1;
            q10 += a1 * b0;
            q11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * W + ty, j = blockIdx.x * W + tx;
    if (i < m && j < n)
        S[(size_t)i * n + j] = (q00 + q01) + (q10 + q11);
}

void poolProdFloat(const float *A, const float *B, float *S, int m, int n, int k)
{
    poolProd<float><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, S, m, n, k);
}

void poolProdDouble(const double *A, const double *B, double *S, int m, int n, int k)
{
    poolProd<double, 8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(A, B, S, m, n, k);
}
