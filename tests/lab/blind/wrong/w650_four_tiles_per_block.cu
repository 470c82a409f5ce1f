#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TILE 16
#define STEPS 4   /* neighbouring column tiles handled by one block */

__global__ void coarse(const float *P, const float *Q, float *R, int width)
{
    __shared__ float p[TILE][TILE];
    __shared__ float q[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int colStart = blockIdx.x * TILE * STEPS + threadIdx.x;
    float value = 0.0f;

    for (int c = 0; c < STEPS; c++) {
        int col = colStart + c * TILE;
        for (int ph = 0; ph < (width + TILE - 1) / TILE; ph++) {
            int pk = ph * TILE + threadIdx.x;
            int qk = ph * TILE + threadIdx.y;
            p[threadIdx.y][threadIdx.x] = row < width && pk < width ? P[row * width + pk] : 0.0f;
            q[threadIdx.y][threadIdx.x] = col < width && qk < width ? Q[qk * width + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE; k++)
                value += p[threadIdx.y][k] * q[k][threadIdx.x];
            __syncthreads();
        }
        if (row < width && col < width)
            R[row * width + col] = value;
    }
}

int main(void)
{
    const int width = 250;
    const size_t bytes = (size_t)width * width * sizeof(float);
    float *hP = (float *)malloc(bytes);
    float *hQ = (float *)malloc(bytes);
    float *hR = (float *)malloc(bytes);
    for (int i = 0; i < width * width; i++) {
        hP[i] = (float)(i % 10);
        hQ[i] = (float)(i % 6) - 2.0f;
    }

    float *P, *Q, *R;
    cudaMalloc((void **)&P, bytes);
    cudaMalloc((void **)&Q, bytes);
    cudaMalloc((void **)&R, bytes);
    cudaMemcpy(P, hP, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(Q, hQ, bytes, cudaMemcpyHostToDevice);

    dim3 threads(TILE, TILE);
    dim3 blocks((width + TILE * STEPS - 1) / (TILE * STEPS), (width + TILE - 1) / TILE);
    coarse<<<blocks, threads>>>(P, Q, R, width);
    cudaMemcpy(hR, R, bytes, cudaMemcpyDeviceToHost);

    int differences = 0;
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) {
            float s = 0.0f;
            for (int k = 0; k < width; k++) s += hP[i * width + k] * hQ[k * width + j];
            if (s != hR[i * width + j]) differences++;
        }
    printf("differences: %d\n", differences);

    cudaFree(P); cudaFree(Q); cudaFree(R);
    free(hP); free(hQ); free(hR);
    return 0;
}
