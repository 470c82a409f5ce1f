#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// Strided batch of column-major products: C_b = A_b * B_b,
// A_b is m x k (ld = m), B_b is k x n (ld = k), C_b is m x n (ld = m).
struct Shape { int m, n, k, batch; };

__global__ void batchedGemm(Shape s, const double* A, const double* B, double* C)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;   // row, contiguous
    const int j = blockIdx.y * blockDim.y + threadIdx.y;   // column
    if (i >= s.m || j >= s.n) return;

    for (int b = blockIdx.z; b < s.batch; b += gridDim.z) {
        const double* a = A + (size_t)b * s.m * s.k;
        const double* q = B + (size_t)b * s.k * s.n;
        double acc = 0.0;
        for (int p = 0; p < s.k; ++p)
            acc += a[i + (size_t)p * s.m] * q[p + (size_t)j * s.k];
        C[(size_t)b * s.m * s.n + i + (size_t)j * s.m] = acc;
    }
}

static double ref(const Shape& s, const std::vector<double>& A, const std::vector<double>& B,
                  int b, int i, int j)
{
    double r = 0.0;
    for (int p = 0; p < s.k; ++p)
        r += A[(size_t)b * s.m * s.k + i + (size_t)p * s.m]
           * B[(size_t)b * s.k * s.n + p + (size_t)j * s.k];
    return r;
}

int main()
{
    const Shape s{37, 21, 45, 100};
    std::vector<double> A((size_t)s.batch * s.m * s.k);
    std::vector<double> B((size_t)s.batch * s.k * s.n);
    std::vector<double> C((size_t)s.batch * s.m * s.n);
    for (size_t t = 0; t < A.size(); ++t) A[t] = double(t % 19) - 9;
    for (size_t t = 0; t < B.size(); ++t) B[t] = double(t % 23) - 11;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(32, 4);
    dim3 grid((s.m + 31) / 32, (s.n + 3) / 4, 16);
    batchedGemm<<<grid, block>>>(s, dA, dB, dC);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int b = 0; b < s.batch; ++b)
        for (int j = 0; j < s.n; ++j)
            for (int i = 0; i < s.m; ++i)
                if (C[(size_t)b * s.m * s.n + i + (size_t)j * s.m] != ref(s, A, B, b, i, j)) ++wrong;
    std::printf("mismatches: %d\n", wrong);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return wrong ? 1 : 0;
}
