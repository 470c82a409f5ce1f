// Assignment 2 - generic tiled matrix multiplication
//   C[M x N] = A[M x K] * B[K x N]   (row major)
// Every size from 1 to 10000 should work.
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

template <typename T, int W>
__global__ void matmul(const T* A, const T* B, T* C, int M, int K, int N)
{
    __shared__ T tileA[W][W];
    __shared__ T tileB[W][W];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * W + ty;
    int col = blockIdx.x * W + tx;
    T value = T(0);

    const int steps = (K + W - 1) / W;
    for (int s = 0; s < steps; s++) {
        int ka = s * W + tx;
        int kb = s * W + ty;
        tileA[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : T(0);
        tileB[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : T(0);
        __syncthreads();

        for (int p = 0; p < W; p++)
            value += tileA[ty][p] * tileB[p][tx];
    }
    __syncthreads();

    if (row < M && col < N)
        C[row * N + col] = value;
}

int main(int argc, char** argv)
{
    int M = argc > 3 ? atoi(argv[1]) : 300;
    int K = argc > 3 ? atoi(argv[2]) : 200;
    int N = argc > 3 ? atoi(argv[3]) : 150;

    std::vector<double> a(M * K), b(K * N), c(M * N);
    for (auto& v : a) v = rand() % 10;
    for (auto& v : b) v = rand() % 10;

    double *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMalloc(&dc, c.size() * sizeof(double));
    cudaMemcpy(da, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    const int W = 16;
    dim3 threads(W, W);
    dim3 blocks((N + W - 1) / W, (M + W - 1) / W);
    matmul<double, W><<<blocks, threads>>>(da, db, dc, M, K, N);

    cudaMemcpy(c.data(), dc, c.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double maxDiff = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double ref = 0;
            for (int p = 0; p < K; p++) ref += a[i * K + p] * b[p * N + j];
            double d = ref - c[i * N + j];
            if (d < 0) d = -d;
            if (d > maxDiff) maxDiff = d;
        }
    std::cout << "max diff " << maxDiff << "\n";

    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
