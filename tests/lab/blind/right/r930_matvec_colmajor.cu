#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// A is stored by columns with leading dimension lda >= m:  A(i,j) = A[j*lda + i].
// 32 rows per block; the BY threads of a row share its columns.
template <typename Real, int BY>
__global__ void gemv_cm(int m, int n, const Real *A, int lda, const Real *x, Real *y)
{
    __shared__ Real part[BY][32];
    int i = blockIdx.x * 32 + threadIdx.x;
    Real s = 0;
    if (i < m)
        for (int j = threadIdx.y; j < n; j += BY)
            s += A[(size_t)j * lda + i] * x[j];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && i < m) {
        for (int b = 1; b < BY; b++)
            s += part[b][threadIdx.x];
        y[i] = s;
    }
}

template <typename Real>
int check(int m, int n, int lda)
{
    std::vector<Real> A((size_t)lda * n), x(n), y(m);
    for (auto &v : A) v = Real(rand() % 21 - 10);
    for (auto &v : x) v = Real(rand() % 21 - 10);
    Real *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(Real));
    cudaMalloc(&dx, n * sizeof(Real));
    cudaMalloc(&dy, m * sizeof(Real));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(Real), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(Real), cudaMemcpyHostToDevice);
    gemv_cm<Real, 6><<<(m + 31) / 32, dim3(32, 6)>>>(m, n, dA, lda, dx, dy);
    cudaMemcpy(y.data(), dy, m * sizeof(Real), cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    int bad = 0;
    for (int i = 0; i < m; i++) {
        Real s = 0;
        for (int j = 0; j < n; j++) s += A[(size_t)j * lda + i] * x[j];
        if (s != y[i]) bad++;
    }
    printf("m=%d n=%d lda=%d: %d bad\n", m, n, lda, bad);
    return bad;
}

int main()
{
    int bad = check<float>(64, 64, 64) + check<float>(77, 45, 80)
            + check<double>(5, 300, 5) + check<int>(130, 3, 131);
    return bad != 0;
}
