#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

/* The tile edge is a run-time choice: both tiles live in one dynamic array. */
__global__ void gemm_tile(const float *a, const float *b, float *c, int n, int edge)
{
    extern __shared__ float buf[];
    float *ta = buf;
    float *tb = buf + edge * edge;

    int lx = threadIdx.x, ly = threadIdx.y;
    int col = blockIdx.x * edge + lx;
    int row = blockIdx.y * edge + ly;
    float r = 0.0f;

    for (int s = 0; s < n; s += edge) {
        ta[ly * edge + lx] = (row < n && s + lx < n) ? a[row * n + s + lx] : 0.0f;
        tb[ly * edge + lx] = (col < n && s + ly < n) ? b[(s + ly) * n + col] : 0.0f;
        __syncthreads();
        for (int e = 0; e < edge; e++)
            r += ta[ly * edge + e] * tb[e * edge + lx];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = r;
}

static void run(const float *a, const float *b, float *c, int n, int edge)
{
    dim3 threads(edge, edge);
    int g = (n + edge - 1) / edge;
    size_t shmem = edge * edge * sizeof(float);
    gemm_tile<<<dim3(g, g), threads, shmem>>>(a, b, c, n, edge);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "edge %d: %s\n", edge, cudaGetErrorString(err));
        exit(1);
    }
}

int main(void)
{
    const int n = 180;
    const int edges[] = {8, 16, 32};
    float *a, *b, *c;
    cudaMallocManaged((void **)&a, n * n * sizeof(float), cudaMemAttachGlobal);
    cudaMallocManaged((void **)&b, n * n * sizeof(float), cudaMemAttachGlobal);
    cudaMallocManaged((void **)&c, n * n * sizeof(float), cudaMemAttachGlobal);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 5);
        b[i] = (float)(i % 3);
    }

    for (int t = 0; t < 3; t++) {
        run(a, b, c, n, edges[t]);
        int bad = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float s = 0.0f;
                for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
                bad += (s != c[i * n + j]);
            }
        printf("edge %2d: %d bad\n", edges[t], bad);
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
