// C = A^T * B, матрицы хранятся по столбцам (как в BLAS), есть lda, ldb, ldc.
//   A: k x m (lda >= k),  B: k x n (ldb >= k),  C: m x n (ldc >= m)
// Размер плитки задаётся при запуске: blockDim = (t, t), t от 1 до 32,
// динамическая разделяемая память под две плитки.
#include <cuda_runtime.h>

__global__ void atb(const double* A, int lda, const double* B, int ldb,
                    double* C, int ldc, int m, int n, int k)
{
    extern __shared__ double mem[];
    const int t = blockDim.x;
    double* pa = mem;                  // pa[i*(t+1)+l] = A(l, i0+i)
    double* pb = mem + t * (t + 1);    // pb[j*(t+1)+l] = B(l, j0+j)

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.x * t, j0 = blockIdx.y * t;

    double s = 0.0;
    for (int l0 = 0; l0 < k; l0 += t)
    {
        // по x идём вдоль столбца: соседние нити читают соседние адреса
        const int l = l0 + tx;
        double va = 0.0, vb = 0.0;
        if (l < k) {
            if (i0 + ty < m) va = A[(size_t)(i0 + ty) * lda + l];
            if (j0 + ty < n) vb = B[(size_t)(j0 + ty) * ldb + l];
        }
        pa[ty * (t + 1) + tx] = va;
        pb[ty * (t + 1) + tx] = vb;
        __syncthreads();

        for (int q = 0; q < t; ++q)
            s += pa[tx * (t + 1) + q] * pb[ty * (t + 1) + q];
        __syncthreads();
    }

    // нить (tx, ty) отвечает за C(i0+tx, j0+ty)
    if (i0 + tx < m && j0 + ty < n)
        C[(size_t)(j0 + ty) * ldc + i0 + tx] = s;
}

// все указатели - на память устройства
cudaError_t transpose_mult(const double* A, int lda, const double* B, int ldb,
                           double* C, int ldc, int m, int n, int k, int t)
{
    if (m <= 0 || n <= 0 || k <= 0 || t < 1 || t > 32)
        return cudaErrorInvalidValue;
    if (lda < k || ldb < k || ldc < m)
        return cudaErrorInvalidValue;

    dim3 block(t, t);
    dim3 grid((m + t - 1) / t, (n + t - 1) / t);
    size_t bytes = 2 * t * (t + 1) * sizeof(double);
    atb<<<grid, block, bytes>>>(A, lda, B, ldb, C, ldc, m, n, k);
    return cudaGetLastError();
}
