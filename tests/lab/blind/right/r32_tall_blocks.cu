// Blocks of 64x4: good coalescing for B and C. Sizes come from the command line.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <chrono>

typedef float real;

inline void checkCuda(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

__global__ void kernelMM(const real* a, const real* b, real* c, const int n, const int p, const int q)
{
    __shared__ real rows[4][64];     // piece of 4 rows of a

    const int col = blockIdx.x * 64 + threadIdx.x;
    const int row = blockIdx.y * 4 + threadIdx.y;
    real sum = 0;

    for (int s = 0; s < p; s += 64) {
        rows[threadIdx.y][threadIdx.x] = 0;
        if (row < n && s + (int)threadIdx.x < p)
            rows[threadIdx.y][threadIdx.x] = a[row * p + s + threadIdx.x];
        __syncthreads();

        int len = p - s;
        if (len > 64) len = 64;
        if (col < q) {
            for (int t = 0; t < len; ++t)
                sum += rows[threadIdx.y][t] * b[(s + t) * q + col];
        }
        __syncthreads();
    }
    if (row < n && col < q)
        c[row * q + col] = sum;
}

dim3 gridFor(int n, int q, dim3 block)
{
    return dim3((q + block.x - 1) / block.x, (n + block.y - 1) / block.y);
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 203;
    const int p = argc > 2 ? atoi(argv[2]) : 150;
    const int q = argc > 3 ? atoi(argv[3]) : 259;

    real* a = (real*)malloc(n * p * sizeof(real));
    real* b = (real*)malloc(p * q * sizeof(real));
    real* c = (real*)malloc(n * q * sizeof(real));
    for (int i = 0; i < n * p; ++i) a[i] = (real)((i * i) % 13) / 13;
    for (int i = 0; i < p * q; ++i) b[i] = (real)((i * 5) % 11) / 11;

    real *da, *db, *dc;
    checkCuda(cudaMalloc(&da, n * p * sizeof(real)), "malloc a");
    checkCuda(cudaMalloc(&db, p * q * sizeof(real)), "malloc b");
    checkCuda(cudaMalloc(&dc, n * q * sizeof(real)), "malloc c");
    checkCuda(cudaMemcpy(da, a, n * p * sizeof(real), cudaMemcpyHostToDevice), "copy a");
    checkCuda(cudaMemcpy(db, b, p * q * sizeof(real), cudaMemcpyHostToDevice), "copy b");

    dim3 block(64, 4);
    auto t0 = std::chrono::steady_clock::now();
    kernelMM<<<gridFor(n, q, block), block>>>(da, db, dc, n, p, q);
    checkCuda(cudaDeviceSynchronize(), "kernel");
    auto t1 = std::chrono::steady_clock::now();
    printf("GPU: %.3f ms\n", std::chrono::duration<double, std::milli>(t1 - t0).count());
    checkCuda(cudaMemcpy(c, dc, n * q * sizeof(real), cudaMemcpyDeviceToHost), "copy c");

    bool ok = true;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < q; ++j) {
            real s = 0;
            for (int k = 0; k < p; ++k) s += a[i * p + k] * b[k * q + j];
            if (!(fabs(s - c[i * q + j]) <= 1e-3)) ok = false;
        }
    printf("%s\n", ok ? "OK" : "BAD");
    free(a); free(b); free(c);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return ok ? 0 : 1;
}
