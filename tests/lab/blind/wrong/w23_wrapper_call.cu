#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TILE 8

// C[m][n] = A[m][k] * B[k][n]
__global__ void mm_kernel(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float s = 0;

    for (int t = 0; t < (k - 1) / TILE + 1; ++t) {
        if (row < m && t * TILE + threadIdx.x < k)
            sA[threadIdx.y][threadIdx.x] = A[row * k + t * TILE + threadIdx.x];
        else
            sA[threadIdx.y][threadIdx.x] = 0;
        if (t * TILE + threadIdx.y < k && col < n)
            sB[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
        else
            sB[threadIdx.y][threadIdx.x] = 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            s += sA[threadIdx.y][i] * sB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = s;
}

void multiplyOnDevice(const std::vector<float>& a, const std::vector<float>& b,
                      std::vector<float>& c, int m, int n, int k)
{
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    mm_kernel<<<grid, block>>>(da, db, dc, n, m, k);

    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

int main()
{
    std::vector<float> a(200 * 150), b(150 * 100), c(200 * 100);
    for (size_t i = 0; i < a.size(); ++i) a[i] = i % 6;
    for (size_t i = 0; i < b.size(); ++i) b[i] = i % 4;
    multiplyOnDevice(a, b, c, 200, 100, 150);

    for (int i = 0; i < 200; ++i)
        for (int j = 0; j < 100; ++j) {
            float s = 0;
            for (int k = 0; k < 150; ++k)
                s += a[i * 150 + k] * b[k * 100 + j];
            if (s != c[i * 100 + j]) {
                printf("wrong at (%d, %d)\n", i, j);
                return 1;
            }
        }
    printf("correct\n");
    return 0;
}
