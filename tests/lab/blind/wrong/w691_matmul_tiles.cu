// HW2: tiled matrix multiplication, square matrices, n arbitrary
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

static constexpr int TILE = 32;

__global__ void matmul(const double *a, const double *b, double *c, int n)
{
    __shared__ double ta[TILE][TILE];
    __shared__ double tb[TILE][TILE];

    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;

    double acc = 0;
    const int tiles = (n + TILE - 1) / TILE;

    for (int t = 0; t < tiles; ++t) {
        int ac = t * TILE + threadIdx.x;
        int br = t * TILE + threadIdx.y;

        ta[threadIdx.y][threadIdx.x] = 0;
        tb[threadIdx.y][threadIdx.x] = 0;
        if (row < n && ac < n) ta[threadIdx.y][threadIdx.x] = a[row * n + ac];
        if (br < n && col < n) tb[threadIdx.y][threadIdx.x] = b[br * n + col];
        __syncthreads();

        #pragma unroll 8
        for (int k = 0; k < TILE; ++k)
            acc += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    }

    if (row < n && col < n)
        c[row * n + col] = acc;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 500;
    if (n <= 0 || n > 8192) { std::cerr << "n out of range\n"; return 1; }

    std::vector<double> a((size_t)n * n), b((size_t)n * n), c((size_t)n * n);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = (double)(i % 17);
        b[i] = (double)(i % 23) - 11;
    }

    double *da, *db, *dc;
    size_t bytes = a.size() * sizeof(double);
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    matmul<<<grid, block>>>(da, db, dc, n);
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);

    // spot check of one row
    int r = n / 2, wrong = 0;
    for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int k = 0; k < n; ++k) s += a[(size_t)r * n + k] * b[(size_t)k * n + j];
        if (s != c[(size_t)r * n + j]) ++wrong;
    }
    std::cout << (wrong ? "FAIL" : "OK") << "\n";

    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
