#include "stdio.h"
const int TILE_WIDTH = 16;
__global__ void matrixMultiplyShared(float *A, float *B, float *C, int numARows, int numAColumns, int numBRows,
                                     int numBColumns, int numCRows, int numCColumns) {
  __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
  int Row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  int Col = blockIdx.x * TILE_WIDTH + threadIdx.x;
  if (Row >= numCRows || Col >= numCColumns) return;
  float Pvalue = 0;
  for (int m = 0; m < (numAColumns - 1) / TILE_WIDTH + 1; ++m) {
    if (m * TILE_WIDTH + threadIdx.x < numAColumns)
      ds_M[threadIdx.y][threadIdx.x] = A[Row * numAColumns + m * TILE_WIDTH + threadIdx.x];
    else
      ds_M[threadIdx.y][threadIdx.x] = 0;
    if (m * TILE_WIDTH + threadIdx.y < numBRows)
      ds_N[threadIdx.y][threadIdx.x] = B[(m * TILE_WIDTH + threadIdx.y) * numBColumns + Col];
    else
      ds_N[threadIdx.y][threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k)
      Pvalue += ds_M[threadIdx.y][k] * ds_N[k][threadIdx.x];
    __syncthreads();
  }
  C[Row * numCColumns + Col] = Pvalue;
}
int main(int argc, char **argv) {
  int numARows = 64, numAColumns = 64, numBRows = 64, numBColumns = 128, numCRows, numCColumns;
  float *deviceA, *deviceB, *deviceC;
  numCRows = numARows;
  numCColumns = numBColumns;
  cudaMalloc((void **)&deviceA, sizeof(float) * numARows * numAColumns);
  dim3 dimGrid((numCColumns - 1) / 16 + 1, (numCRows - 1) / 16 + 1, 1);
  dim3 dimBlock(16, 16, 1);
  matrixMultiplyShared<<<dimGrid, dimBlock>>>(deviceA, deviceB, deviceC, numARows, numAColumns, numBRows, numBColumns, numCRows, numCColumns);
}
