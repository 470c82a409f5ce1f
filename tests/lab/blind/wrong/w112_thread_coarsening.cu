#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TILE 32
#define ROWS_PER_THREAD 4
#define BLOCK_Y (TILE / ROWS_PER_THREAD)

// n x n matrices, n is a multiple of 32; a block has 32 x 8 threads
__global__ void coarse(const float* A, const float* B, float* C, int n)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx;
    const int rowBase = blockIdx.y * TILE;

    float sum[ROWS_PER_THREAD] = {0.f, 0.f, 0.f, 0.f};

    for (int kb = 0; kb < n; kb += TILE) {
        for (int r = 0; r < ROWS_PER_THREAD; ++r) {
            int y = ty + r * BLOCK_Y;
            As[y][tx] = A[(rowBase + y) * n + kb + tx];
            Bs[y][tx] = B[(kb + y) * n + col];
        }
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            for (int r = 0; r < ROWS_PER_THREAD; ++r)
                sum[r] += As[ty + r * BLOCK_Y][k] * Bs[k][tx];
        __syncthreads();
    }

    for (int r = 0; r < ROWS_PER_THREAD; ++r)
        C[(rowBase + ty + r * ROWS_PER_THREAD) * n + col] = sum[r];
}

int main()
{
    const int n = 128;
    std::vector<float> A(n * n), B(n * n), C(n * n, 0.f);
    for (int i = 0; i < n * n; ++i) {
        A[i] = (i * 31 % 17) / 4.f;
        B[i] = (i * 13 % 23) / 4.f;
    }
    float *dA, *dB, *dC;
    const size_t bytes = sizeof(float) * n * n;
    cudaMalloc(&dA, bytes); cudaMalloc(&dB, bytes); cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, bytes);

    coarse<<<dim3(n / TILE, n / TILE), dim3(TILE, BLOCK_Y)>>>(dA, dB, dC, n);
    cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int k = 0; k < n; ++k) s += A[i * n + k] * B[k * n + j];
            if (fabsf(s - C[i * n + j]) > 0.05f) ++bad;
        }
    printf("wrong elements: %d\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}
