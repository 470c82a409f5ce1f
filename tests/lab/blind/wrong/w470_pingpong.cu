// integer matmul, two tile buffers: while one is used the other is filled
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TW 16

typedef int tile_t[TW][TW];

__device__ void load_tiles(tile_t ta, tile_t tb, const int *A, const int *B,
                           int row, int col, int k0, int M, int N, int K)
{
    int ka = k0 + threadIdx.x;
    int kb = k0 + threadIdx.y;
    ta[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0;
    tb[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? B[kb * N + col] : 0;
}

__global__ void matmul_pp(const int *A, const int *B, int *C, int M, int N, int K)
{
    __shared__ tile_t ta[2], tb[2];
    int row = blockIdx.y * TW + threadIdx.y;
    int col = blockIdx.x * TW + threadIdx.x;
    int tiles = (K + TW - 1) / TW;
    int acc = 0;

    load_tiles(ta[0], tb[0], A, B, row, col, 0, M, N, K);
    __syncthreads();

    for (int t = 0; t < tiles; t++) {
        int now = t & 1;
        if (t + 2 < tiles)
            load_tiles(ta[1 - now], tb[1 - now], A, B, row, col, (t + 1) * TW, M, N, K);
        for (int k = 0; k < TW; k++)
            acc += ta[now][threadIdx.y][k] * tb[now][k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}

int main(int argc, char **argv)
{
    int M = 100, N = 120, K = 90;
    if (argc > 3) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }
    int *A, *B, *C;
    cudaMallocManaged((void **)&A, (size_t)M * K * sizeof(int));
    cudaMallocManaged((void **)&B, (size_t)K * N * sizeof(int));
    cudaMallocManaged((void **)&C, (size_t)M * N * sizeof(int));
    for (int i = 0; i < M * K; i++) A[i] = i % 19 - 9;
    for (int i = 0; i < K * N; i++) B[i] = i % 23 - 11;

    dim3 th(TW, TW);
    dim3 bl((N + TW - 1) / TW, (M + TW - 1) / TW);
    matmul_pp<<<bl, th>>>(A, B, C, M, N, K);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) { printf("%s\n", cudaGetErrorString(err)); return 1; }

    int diff = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            diff += s != C[i * N + j];
        }
    printf("different: %d\n", diff);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
