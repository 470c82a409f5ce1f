// y = A x where the columns of A are divided among blocks (blockIdx.y).
// One thread per row; A is stored column-major so that neighbouring threads
// read neighbouring addresses.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>

#define ROWS_PER_BLOCK 128
#define COLS_PER_BLOCK 256

__global__ void gemvColumns(const float* A, int lda, const float* x, float* y, int m, int n)
{
    __shared__ float xs[COLS_PER_BLOCK];

    const int first = blockIdx.y * COLS_PER_BLOCK;
    const int count = min(COLS_PER_BLOCK, n - first);
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        xs[j] = x[first + j];
    __syncthreads();

    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        float sum = 0.0f;
        for (int j = 0; j < count; ++j)
            sum += A[(size_t)(first + j) * lda + row] * xs[j];
        y[row] = sum;
    }
}

#define TRY(expr)                                                            \
    do {                                                                     \
        cudaError_t status = (expr);                                         \
        if (status != cudaSuccess) {                                         \
            std::fprintf(stderr, #expr " -> %s\n", cudaGetErrorString(status)); \
            std::exit(EXIT_FAILURE);                                         \
        }                                                                    \
    } while (false)

int main(int argc, char** argv)
{
    const int m = argc > 1 ? std::atoi(argv[1]) : 900;
    const int n = argc > 2 ? std::atoi(argv[2]) : 1500;
    const int lda = (m + 31) / 32 * 32;       // padded columns

    std::vector<float> A((size_t)lda * n, 0.0f), x(n), y(m);
    for (int j = 0; j < n; ++j) {
        x[j] = 0.25f * (j % 8) - 1.0f;
        for (int i = 0; i < m; ++i)
            A[(size_t)j * lda + i] = ((i + 3 * j) % 19) * 0.1f;
    }

    float *dA, *dx, *dy;
    TRY(cudaMalloc(&dA, A.size() * sizeof(float)));
    TRY(cudaMalloc(&dx, n * sizeof(float)));
    TRY(cudaMalloc(&dy, m * sizeof(float)));
    TRY(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    TRY(cudaMemset(dy, 0, m * sizeof(float)));

    dim3 grid((m + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK,
              (n + COLS_PER_BLOCK - 1) / COLS_PER_BLOCK);
    gemvColumns<<<grid, ROWS_PER_BLOCK>>>(dA, lda, dx, dy, m, n);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int i = 0; i < m; ++i) {
        double s = 0.0;
        for (int j = 0; j < n; ++j)
            s += (double)A[(size_t)j * lda + i] * x[j];
        worst = std::fmax(worst, std::fabs(s - y[i]));
    }
    std::printf("largest difference %g: %s\n", worst, worst < 1e-2 ? "ok" : "not ok");

    TRY(cudaFree(dA));
    TRY(cudaFree(dx));
    TRY(cudaFree(dy));
    return worst < 1e-2 ? 0 : 1;
}
