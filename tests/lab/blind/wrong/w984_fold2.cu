#include <cuda_runtime.h>
#include <cstdio>

// A : 2m x k   B : k x 2n   C : m x n, ints
// C[i][j] = full[2i][2j] + full[2i][2j+1] + full[2i+1][2j] + full[2i+1][2j+1]   with full = A*B

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) \
    { printf("%s, line %d\n", cudaGetErrorString(e_), __LINE__); return 1; } } while (0)

#define AT(M, ld, r, c) ((M)[(r) * (ld) + (c)])

__global__ void fold(const int* A, const int* B, int* C, int m, int k, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;

    for (int e = idx; e < m * n; e += stride) {
        int i = e / n;
        int j = e % n;
        int sum = 0;
        for (int p = 0; p < k; ++p) {
            int a0 = AT(A, k, 2 * i, p);
            int a1 = AT(A, k, 2 * i + 1, p);
            int b0 = AT(B, 2 * n, p, 2 * j);
            int b1 = AT(B, 2 * n, p, 2 * j + 1);
            sum += a0 * b0 + a1 * b1;
        }
        C[e] = sum;
    }
}

int main()
{
    const int m = 9, k = 14, n = 6;
    int *A, *B, *C;
    CHECK(cudaMallocManaged(&A, 2 * m * k * sizeof(int)));
    CHECK(cudaMallocManaged(&B, k * 2 * n * sizeof(int)));
    CHECK(cudaMallocManaged(&C, m * n * sizeof(int)));
    for (int i = 0; i < 2 * m * k; ++i) A[i] = i % 10 - 4;
    for (int i = 0; i < k * 2 * n; ++i) B[i] = i % 9 - 3;

    fold<<<2, 20>>>(A, B, C, m, k, n);
    CHECK(cudaDeviceSynchronize());

    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) printf("%6d", C[i * n + j]);
        printf("\n");
    }
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
