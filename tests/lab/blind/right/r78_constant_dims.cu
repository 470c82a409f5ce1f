#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// dimensions live in constant memory: [0]=rows of A, [1]=cols of A, [2]=cols of B
__constant__ int d_dims[3];

#define BX 16
#define BY 16

__global__ void matmulConst(const float *a, const float *b, float *c)
{
    const int M = d_dims[0], K = d_dims[1], N = d_dims[2];
    __shared__ float tileA[BY][BX];
    __shared__ float tileB[BX][BX + 1];
    int col = blockIdx.x * BX + threadIdx.x;
    int row = blockIdx.y * BY + threadIdx.y;
    bool rowOk = row < M, colOk = col < N;
    float res = 0.0f;

    int k0 = 0;
    while (k0 < K) {
        int kx = k0 + threadIdx.x, ky = k0 + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = rowOk && kx < K ? a[row * K + kx] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = colOk && ky < K ? b[ky * N + col] : 0.0f;
        __syncthreads();
        int i = 0;
        do {
            res += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
            i++;
        } while (i < BX);
        k0 += BX;
        __syncthreads();
    }
    if (rowOk && colOk) c[row * N + col] = res;
}

int main()
{
    int dims[3] = { 31, 64, 47 };
    int M = dims[0], K = dims[1], N = dims[2];
    cudaMemcpyToSymbol(d_dims, dims, sizeof(dims));

    float *h_a, *h_b, *h_c;
    cudaMallocHost((void **)&h_a, M * K * sizeof(float));
    cudaMallocHost((void **)&h_b, K * N * sizeof(float));
    cudaMallocHost((void **)&h_c, M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) h_a[i] = (float)(rand() % 8);
    for (int i = 0; i < K * N; i++) h_b[i] = (float)(rand() % 8);

    float *a, *b, *c;
    cudaMalloc((void **)&a, M * K * sizeof(float));
    cudaMalloc((void **)&b, K * N * sizeof(float));
    cudaMalloc((void **)&c, M * N * sizeof(float));
    cudaMemcpy(a, h_a, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h_b, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(BX, BY), grid((N + BX - 1) / BX, (M + BY - 1) / BY);
    matmulConst<<<grid, threads>>>(a, b, c);
    cudaMemcpy(h_c, c, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += h_a[i * K + k] * h_b[k * N + j];
            if (s != h_c[i * N + j]) bad++;
        }
    printf("bad=%d\n", bad);
    cudaFree(a); cudaFree(b); cudaFree(c);
    cudaFreeHost(h_a); cudaFreeHost(h_b); cudaFreeHost(h_c);
    return bad != 0;
}
