// Homework 2: shared-memory matrix product, C = A * B.
// A is m x k, B is k x n, C is m x n, all row-major, any positive sizes.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TILE 16

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t err_ = (call);                                         \
        if (err_ != cudaSuccess) {                                         \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,              \
                    cudaGetErrorString(err_));                             \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__global__ void matmul_tiled(const float *A, const float *B, float *C,
                             int m, int k, int n)
{
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float sum = 0.0f;
    const int steps = (k + TILE - 1) / TILE;
    for (int s = 0; s < steps; ++s) {
        const int ka = s * TILE + tx;
        const int kb = s * TILE + ty;
        // outside the matrices the tiles are filled with zeros
        tileA[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;
        tileB[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
        __syncthreads();

        for (int p = 0; p < TILE; ++p)
            sum += tileA[ty][p] * tileB[p][tx];
        __syncthreads();
    }

    if (row < m && col < n)
        C[(size_t)row * n + col] = sum;
}

int main()
{
    const int m = 97, k = 131, n = 75;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    srand(7);
    for (auto &v : A) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto &v : B) v = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
    CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
    CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
    CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul_tiled<<<grid, block>>>(dA, dB, dC, m, k, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0;
    bool ok = true;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0;
            for (int p = 0; p < k; ++p)
                ref += (double)A[i * k + p] * B[p * n + j];
            double diff = fabs(ref - C[i * n + j]);
            if (!(diff < 1e-4)) ok = false;
            worst = fmax(worst, diff);
        }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);

    printf("matmul %dx%dx%d, max error %g: %s\n", m, k, n, worst, ok ? "OK" : "FAILED");
    return ok ? 0 : 1;
}
