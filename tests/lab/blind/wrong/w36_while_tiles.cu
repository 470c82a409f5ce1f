#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TILE 16

__global__ void mmWhile(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int tiles = (n + TILE - 1) / TILE;
    float sum = 0.0f;

    int t = 0;
    while (t < tiles) {
        const int kx = t * TILE + threadIdx.x;
        const int ky = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < n && kx < n) ? A[row * n + kx] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (ky < n && col < n) ? B[ky * n + col] : 0.0f;
        __syncthreads();

        int k = 0;
        while (k < TILE) {
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
            k++;
        }
        __syncthreads();
    }

    if (row < n && col < n)
        C[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    const int n = (argc > 1) ? atoi(argv[1]) : 257;
    const size_t size = n * n * sizeof(float);
    float *h_A = (float *)malloc(size), *h_B = (float *)malloc(size), *h_C = (float *)malloc(size);
    for (int i = 0; i < n * n; i++) {
        h_A[i] = (float)i / (n * n);
        h_B[i] = 1.0f - h_A[i];
    }
    float *d_A, *d_B, *d_C;
    cudaMalloc(&d_A, size);
    cudaMalloc(&d_B, size);
    cudaMalloc(&d_C, size);
    cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, h_B, size, cudaMemcpyHostToDevice);
    dim3 threads(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    mmWhile<<<grid, threads>>>(d_A, d_B, d_C, n);
    cudaMemcpy(h_C, d_C, size, cudaMemcpyDeviceToHost);

    double err = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++) s += (double)h_A[i * n + k] * h_B[k * n + j];
            err = fmax(err, fabs(s - h_C[i * n + j]));
        }
    printf("maximal error below 1e-2: %s\n", err < 1e-2 ? "yes" : "no");
    cudaFree(d_A);
    cudaFree(d_B);
    cudaFree(d_C);
    free(h_A);
    free(h_B);
    free(h_C);
    return 0;
}
