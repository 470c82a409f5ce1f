#include <cuda_runtime.h>
#include <iostream>
#include <memory>

extern __shared__ double pool[];

__global__ void mmPool(const double *A, const double *B, double *C,
                       unsigned M, unsigned N, unsigned K)
{
    const unsigned T = blockDim.y;
    double *a = pool;
    double *b = pool + T * T;
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned r = blockIdx.y * T + y;
    const unsigned c = blockIdx.x * T + x;

    double v = 0.0;
    for (unsigned k = 0; k < K; k += T) {
        a[y * T + x] = (r < M && k + x < K) ? A[r * K + k + x] : 0.0;
        b[y * T + x] = (c < N && k + y < K) ? B[(k + y) * N + c] : 0.0;
        __syncthreads();
        for (unsigned q = 0; q < T; ++q)
            v += a[y * T + q] * b[q * T + x];
        __syncthreads();
    }
    if (r < M && c < N)
        C[r * N + c] = v;
}

struct Problem {
    unsigned M, N, K;
    double *A, *B, *C;
    Problem(unsigned m, unsigned n, unsigned k) : M(m), N(n), K(k)
    {
        cudaMallocManaged(&A, sizeof(double) * M * K);
        cudaMallocManaged(&B, sizeof(double) * K * N);
        cudaMallocManaged(&C, sizeof(double) * M * N);
        for (unsigned i = 0; i < M * K; ++i) A[i] = i % 3;
        for (unsigned i = 0; i < K * N; ++i) B[i] = i % 4;
    }
    void solve(unsigned T)
    {
        const size_t tileBytes = T * T * sizeof(double);
        dim3 grid((N + T - 1) / T, (M + T - 1) / T);
        mmPool<<<grid, dim3(T, T), tileBytes>>>(A, B, C, M, N, K);
        cudaDeviceSynchronize();
    }
};

int main()
{
    Problem p(100, 80, 60);
    p.solve(16);
    std::cout << p.C[0] << std::endl;
    return 0;
}
