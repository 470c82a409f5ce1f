// Reduced product: rows of A are added in pairs, columns of B are added in pairs.
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Shape { int m, n, k; };   // C is m x n, A is 2m x k, B is k x 2n

__device__ double addRows(const double *A, int i, int k, Shape s)
{
    return A[2 * i * s.k + k] + A[(2 * i + 1) * s.k + k];
}

__device__ double addCols(const double *B, int k, int j, Shape s)
{
    const double *row = B + k * 2 * s.n;
    return row[2 * j] + row[j + s.n];
}

__global__ void reduceMul(const double *A, const double *B, double *C, Shape s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < s.m && j < s.n) {
        double acc = 0;
        for (int k = 0; k < s.k; ++k)
            acc += addRows(A, i, k, s) * addCols(B, k, j, s);
        C[i * s.n + j] = acc;
    }
}

int main()
{
    Shape s{33, 50, 64};
    std::vector<double> A(2 * s.m * s.k), B(2 * s.n * s.k), C(s.m * s.n);
    for (size_t i = 0; i < A.size(); ++i) A[i] = std::sin(0.1 * i);
    for (size_t i = 0; i < B.size(); ++i) B[i] = std::cos(0.3 * i);

    double *a, *b, *c;
    cudaMalloc(&a, A.size() * sizeof(double));
    cudaMalloc(&b, B.size() * sizeof(double));
    cudaMalloc(&c, C.size() * sizeof(double));
    cudaMemcpy(a, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(16, 16);
    dim3 grid((s.n + block.x - 1) / block.x, (s.m + block.y - 1) / block.y);
    reduceMul<<<grid, block>>>(a, b, c, s);
    cudaMemcpy(C.data(), c, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.n; ++j) {
            double r = 0;
            for (int k = 0; k < s.k; ++k) {
                double pa = A[2 * i * s.k + k] + A[(2 * i + 1) * s.k + k];
                double pb = B[k * 2 * s.n + 2 * j] + B[k * 2 * s.n + 2 * j + 1];
                r += pa * pb;
            }
            worst = std::fmax(worst, std::fabs(r - C[i * s.n + j]));
        }
    std::printf("worst %g %s\n", worst, worst < 1e-9 ? "PASS" : "FAIL");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
