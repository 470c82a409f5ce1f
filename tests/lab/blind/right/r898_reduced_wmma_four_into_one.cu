// Produs redus pe nuclee tensor: rândurile pare/impare ale lui A și coloanele pare/impare ale lui B
// se citesc cu pas dublu, iar cele patru produse se adună în același acumulator.
// A: 2m x k (half, pe rânduri), B: k x 2n (half, pe coloane), C: m x n (float, pe rânduri).
// m, n și k sunt multipli de 16. Un warp pe bloc, un bloc pe dală 16 x 16.
#include <cstdio>
#include <cmath>
#include <cuda_fp16.h>
#include <mma.h>

namespace w = nvcuda::wmma;

__global__ void redus_wmma(const half* A, const half* B, float* C, int n, int k)
{
    const size_t i0 = 16 * (size_t)blockIdx.x;
    const size_t j0 = 16 * (size_t)blockIdx.y;
    const half* a = A + 2 * i0 * k;
    const half* b = B + 2 * j0 * k;

    w::fragment<w::accumulator, 16, 16, 16, float> c;
    w::fill_fragment(c, 0.f);

    for (int p = 0; p < k; p += 16) {
        w::fragment<w::matrix_a, 16, 16, 16, half, w::row_major> par, impar;
        w::load_matrix_sync(par, a + p, 2 * k);
        w::load_matrix_sync(impar, a + k + p, 2 * k);
        for (int d = 0; d < 2; ++d) {
            w::fragment<w::matrix_b, 16, 16, 16, half, w::col_major> col;
            w::load_matrix_sync(col, b + (size_t)d * k + p, 2 * k);
            w::mma_sync(c, par, col, c);
            w::mma_sync(c, impar, col, c);
        }
    }
    w::store_matrix_sync(C + i0 * n + j0, c, n, w::mem_row_major);
}

int main()
{
    const int m = 48, n = 80, k = 64;
    half *A, *B;
    float* C;
    cudaMallocManaged(&A, sizeof(half) * 2 * m * k);
    cudaMallocManaged(&B, sizeof(half) * 2 * n * k);
    cudaMallocManaged(&C, sizeof(float) * m * n);
    for (int e = 0; e < 2 * m * k; ++e) A[e] = __float2half(float(e * 37 % 13 - 6));
    for (int e = 0; e < 2 * n * k; ++e) B[e] = __float2half(float(e * 29 % 15 - 7));

    redus_wmma<<<dim3(m / 16, n / 16), 32>>>(A, B, C, n, k);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("eroare: %s\n", cudaGetErrorString(err));
        return 2;
    }

    int gresite = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int p = 0; p < k; ++p) {
                const double u = __half2float(A[2 * i * k + p]) + __half2float(A[(2 * i + 1) * k + p]);
                const double v = __half2float(B[2 * j * k + p]) + __half2float(B[(2 * j + 1) * k + p]);
                s += u * v;
            }
            if (fabs(s - C[i * n + j]) > 0.5) ++gresite;
        }
    printf("%d elemente gresite\n", gresite);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return gresite != 0;
}
