/* Matrix product with the tile size chosen at run time (dynamic shared memory),
 * used by the autotuning lab. Pinned host memory, one stream.            */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define CU(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "%s @%d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)

__global__ void matmulDyn(const float *A, const float *B, float *C,
                          int M, int N, int K, int tile)
{
    extern __shared__ float smem[];
    float *tA = smem;                   /* tile x tile */
    float *tB = smem + tile * tile;     /* tile x tile */

    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * tile + ty;
    int col = blockIdx.x * tile + tx;
    float s = 0.0f;

    for (int k0 = 0; k0 < K; k0 += tile) {
        tA[ty * tile + tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        tB[ty * tile + tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < tile; k++)
            s += tA[ty * tile + k] * tB[k * tile + tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = s;
}

int main(void)
{
    const int M = 256, N = 200, K = 144;
    const int tiles[] = {8, 16, 32};
    float *hA, *hB, *hC, *dA, *dB, *dC;
    cudaStream_t st;

    CU(cudaStreamCreate(&st));
    CU(cudaMallocHost((void **)&hA, M * K * sizeof(float)));
    CU(cudaMallocHost((void **)&hB, K * N * sizeof(float)));
    CU(cudaMallocHost((void **)&hC, M * N * sizeof(float)));
    CU(cudaMalloc((void **)&dA, M * K * sizeof(float)));
    CU(cudaMalloc((void **)&dB, K * N * sizeof(float)));
    CU(cudaMalloc((void **)&dC, M * N * sizeof(float)));
    for (int i = 0; i < M * K; i++) hA[i] = (i * 7 % 13) * 0.125f;
    for (int i = 0; i < K * N; i++) hB[i] = (i * 5 % 11) * 0.25f;

    CU(cudaMemcpyAsync(dA, hA, M * K * sizeof(float), cudaMemcpyHostToDevice, st));
    CU(cudaMemcpyAsync(dB, hB, K * N * sizeof(float), cudaMemcpyHostToDevice, st));

    int failures = 0;
    for (int v = 0; v < 3; v++) {
        int tile = tiles[v];
        dim3 block(tile, tile);
        dim3 grid((N + tile - 1) / tile, (M + tile - 1) / tile);
        size_t shmem = 2 * tile * tile;
        matmulDyn<<<grid, block, shmem, st>>>(dA, dB, dC, M, N, K, tile);
        CU(cudaGetLastError());
        CU(cudaMemcpyAsync(hC, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost, st));
        CU(cudaStreamSynchronize(st));

        int bad = 0;
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float r = 0.0f;
                for (int k = 0; k < K; k++) r += hA[i * K + k] * hB[k * N + j];
                if (fabsf(r - hC[i * N + j]) > 1e-2f) bad++;
            }
        printf("tile %2d: %d wrong\n", tile, bad);
        failures += bad;
    }

    CU(cudaFree(dA)); CU(cudaFree(dB)); CU(cudaFree(dC));
    CU(cudaFreeHost(hA)); CU(cudaFreeHost(hB)); CU(cudaFreeHost(hC));
    CU(cudaStreamDestroy(st));
    return failures != 0;
}
