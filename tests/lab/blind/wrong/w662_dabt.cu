// C = A * B^T for doubles.  A is m x k, B is n x k, C is m x n (row-major), any sizes.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int S>
__global__ void abt(const double *A, const double *B, double *C, int m, int n, int k)
{
    __shared__ double a[S][S + 1];
    __shared__ double b[S][S + 1];

    const int i = blockIdx.y * S + threadIdx.y;
    const int j = blockIdx.x * S + threadIdx.x;
    const int bj = blockIdx.x * S + threadIdx.y;   // row of B loaded here

    // clear the tiles
    a[threadIdx.y][threadIdx.x] = 0.0;
    b[threadIdx.y][threadIdx.x] = 0.0;

    double sum = 0.0;
    for (int l0 = 0; l0 < k; l0 += S) {
        const int l = l0 + threadIdx.x;
        if (i < m && l < k)
            a[threadIdx.y][threadIdx.x] = A[(size_t)i * k + l];
        if (bj < n && l < k)
            b[threadIdx.y][threadIdx.x] = B[(size_t)bj * k + l];
        __syncthreads();

        for (int q = 0; q < S; ++q)
            sum += a[threadIdx.y][q] * b[threadIdx.x][q];
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * n + j] = sum;
}

int main()
{
    const int m = 90, n = 75, k = 64 + 21;
    std::vector<double> A(m * k, 0.5), B(n * k, 2.0), C(m * n);
    double *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(double) * m * k);
    cudaMalloc(&dB, sizeof(double) * n * k);
    cudaMalloc(&dC, sizeof(double) * m * n);
    cudaMemcpy(dA, A.data(), sizeof(double) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(double) * n * k, cudaMemcpyHostToDevice);

    constexpr int S = 16;
    dim3 grid((n + S - 1) / S, (m + S - 1) / S);
    abt<S><<<grid, dim3(S, S)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, sizeof(double) * m * n, cudaMemcpyDeviceToHost);

    printf("C[0][0] = %f, expected %d\n", C[0], k);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
