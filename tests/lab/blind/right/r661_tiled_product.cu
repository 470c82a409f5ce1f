// Tiled matrix product, C = A * B, everything row-major.
// A is M x K, B is K x N. Sizes do not have to be multiples of the tile.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TILE 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void mm_tiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int t = 0; t < CEIL_DIV(K, TILE); ++t) {
        int ka = t * TILE + tx;
        int kb = t * TILE + ty;
        sA[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        sB[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

int main()
{
    const int M = 123, N = 77, K = 201;
    size_t bytesA = M * K * sizeof(float);
    size_t bytesB = K * N * sizeof(float);
    size_t bytesC = M * N * sizeof(float);
    float *hA = (float *)malloc(bytesA), *hB = (float *)malloc(bytesB), *hC = (float *)malloc(bytesC);
    for (int i = 0; i < M * K; i++) hA[i] = (rand() % 100) / 50.0f - 1.0f;
    for (int i = 0; i < K * N; i++) hB[i] = (rand() % 100) / 50.0f - 1.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bytesA);
    cudaMalloc(&dB, bytesB);
    cudaMalloc(&dC, bytesC);
    cudaMemcpy(dA, hA, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bytesB, cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid(CEIL_DIV(N, TILE), CEIL_DIV(M, TILE));
    mm_tiled<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(hC, dC, bytesC, cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double ref = 0;
            for (int k = 0; k < K; k++) ref += (double)hA[i * K + k] * hB[k * N + j];
            if (fabs(ref - hC[i * N + j]) > 1e-3) bad++;
        }
    printf(bad ? "FAILED\n" : "PASSED\n");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return bad != 0;
}
