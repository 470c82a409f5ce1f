/*
 * C := alpha * A * B + beta * C,  column major as in Fortran / BLAS
 *   A is m x k with leading dimension lda >= m
 *   B is k x n with leading dimension ldb >= k
 *   C is m x n with leading dimension ldc >= m
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define NB 16
#define IDX(i, j, ld) ((j) * (ld) + (i))

__global__ void sgemm_nn(int m, int n, int k, float alpha,
                         const float *A, int lda, const float *B, int ldb,
                         float beta, float *C, int ldc)
{
    __shared__ float sA[NB][NB];     // sA[kk][i]
    __shared__ float sB[NB][NB];     // sB[j][kk]

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.x * NB + tx;      // row of C, fastest in memory
    const int j = blockIdx.y * NB + ty;      // column of C

    float acc = 0.0f;
    for (int p = 0; p < k; p += NB) {
        sA[ty][tx] = (i < m && p + ty < k) ? A[IDX(i, p + ty, lda)] : 0.0f;
        sB[ty][tx] = (p + tx < k && j < n) ? B[IDX(p + tx, j, ldb)] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < NB; ++kk)
            acc += sA[kk][tx] * sB[ty][kk];
        __syncthreads();
    }

    if (i < m && j < n) {
        float r = alpha * acc;
        if (beta != 0.0f) r += beta * C[IDX(i, j, ldc)];
        C[IDX(i, j, ldc)] = r;
    }
}

int main()
{
    const int m = 70, n = 45, k = 39;
    const int lda = 72, ldb = 40, ldc = 80;
    const float alpha = 1.5f, beta = -0.5f;

    std::vector<float> A((size_t)lda * k), B((size_t)ldb * n), C((size_t)ldc * n), R;
    for (auto &v : A) v = (rand() % 200 - 100) / 100.0f;
    for (auto &v : B) v = (rand() % 200 - 100) / 100.0f;
    for (auto &v : C) v = (rand() % 200 - 100) / 100.0f;
    R = C;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * 4);
    cudaMalloc(&dB, B.size() * 4);
    cudaMalloc(&dC, C.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C.data(), C.size() * 4, cudaMemcpyHostToDevice);

    dim3 block(NB, NB);
    dim3 grid((m + NB - 1) / NB, (n + NB - 1) / NB);
    sgemm_nn<<<grid, block>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double s = 0;
            for (int p = 0; p < k; ++p)
                s += (double)A[IDX(i, p, lda)] * B[IDX(p, j, ldb)];
            double want = alpha * s + beta * R[IDX(i, j, ldc)];
            worst = fmax(worst, fabs(want - C[IDX(i, j, ldc)]));
        }
    printf("max error %g -> %s\n", worst, worst < 1e-3 ? "PASS" : "FAIL");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return worst < 1e-3 ? 0 : 1;
}
