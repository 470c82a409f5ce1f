/* Lab 4: Tiled Matrix Multiplication with boundary checks */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_WIDTH 16

__global__ void MatrixMulKernel(int m, int n, int k, float* A, float* B, float* C)
{
    __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x; int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = by * blockDim.y + ty;
    int Col = bx * blockDim.x + tx;
    float Cvalue = 0;

    for (int t = 0; t < (n-1)/TILE_WIDTH + 1; ++t) {
        if (Row < m && t*TILE_WIDTH+tx < n)
            ds_A[ty][tx] = A[Row*n + t*TILE_WIDTH + tx];
        else
            ds_A[ty][tx] = 0.0;
        if (t*TILE_WIDTH+ty < n && Col < k)
            ds_B[ty][tx] = B[(t*TILE_WIDTH + ty)*k + Col];
        else
            ds_B[ty][tx] = 0.0;

        if (Row < m && Col < k) {
            __syncthreads();
            for (int i = 0; i < TILE_WIDTH; ++i)
                Cvalue += ds_A[ty][i] * ds_B[i][tx];
            __syncthreads();
        }
    }
    if (Row < m && Col < k)
        C[Row*k + Col] = Cvalue;
}

int main(int argc, char** argv)
{
    int m = 70, n = 90, k = 50;
    float *hostA, *hostB, *hostC;
    float *deviceA, *deviceB, *deviceC;

    hostA = (float*) malloc(m * n * sizeof(float));
    hostB = (float*) malloc(n * k * sizeof(float));
    hostC = (float*) malloc(m * k * sizeof(float));
    for (int i = 0; i < m * n; i++) hostA[i] = rand() % 5;
    for (int i = 0; i < n * k; i++) hostB[i] = rand() % 5;

    cudaMalloc((void**) &deviceA, m * n * sizeof(float));
    cudaMalloc((void**) &deviceB, n * k * sizeof(float));
    cudaMalloc((void**) &deviceC, m * k * sizeof(float));

    cudaMemcpy(deviceA, hostA, m * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(deviceB, hostB, n * k * sizeof(float), cudaMemcpyHostToDevice);

    dim3 DimGrid((k-1)/TILE_WIDTH + 1, (m-1)/TILE_WIDTH + 1, 1);
    dim3 DimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    MatrixMulKernel<<<DimGrid, DimBlock>>>(m, n, k, deviceA, deviceB, deviceC);
    cudaDeviceSynchronize();

    cudaMemcpy(hostC, deviceC, m * k * sizeof(float), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            float sum = 0;
            for (int l = 0; l < n; l++) sum += hostA[i*n + l] * hostB[l*k + j];
            if (fabs(sum - hostC[i*k + j]) > 0.01) errors++;
        }
    printf("Errors: %d\n", errors);

    cudaFree(deviceA);
    cudaFree(deviceB);
    cudaFree(deviceC);
    free(hostA);
    free(hostB);
    free(hostC);
    return errors != 0;
}
