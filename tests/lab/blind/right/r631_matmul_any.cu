// Matrix product C = A * B, row-major, any M, N, K (command line), shared tiles.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TILE 16

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx;
    const int row = blockIdx.y * TILE + ty;
    float acc = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        sa[ty][tx] = (row < M && k0 + tx < K) ? A[(size_t)row * K + k0 + tx] : 0.0f;
        sb[ty][tx] = (k0 + ty < K && col < N) ? B[(size_t)(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < TILE; ++p)
            acc += sa[ty][p] * sb[p][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[(size_t)row * N + col] = acc;
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 123;
    int N = argc > 2 ? atoi(argv[2]) : 77;
    int K = argc > 3 ? atoi(argv[3]) : 201;
    if (M < 1 || N < 1 || K < 1) { fprintf(stderr, "sizes must be positive\n"); return 1; }

    std::vector<float> a((size_t)M * K), b((size_t)K * N), c((size_t)M * N);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (float)(i % 7) - 3.0f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (float)(i % 5) - 2.0f;

    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul<<<grid, block>>>(da, db, dc, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int p = 0; p < K; ++p) s += (double)a[(size_t)i * K + p] * b[(size_t)p * N + j];
            worst = fmax(worst, fabs(s - c[(size_t)i * N + j]));
        }
    printf("max error %g\n", worst);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return worst < 1e-2 ? 0 : 1;
}
