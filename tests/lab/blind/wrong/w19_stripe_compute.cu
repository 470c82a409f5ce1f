#include <iostream>
#include <cstdlib>
#include <cuda_runtime.h>

// one thread per column of C, it goes through all rows (grid-stride in y)
__global__ void stripe(const float *A, const float *B, float *C, int nRows, int nCols, int nInner)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= nCols) return;

    float sum = 0.0f;
    for (int row = blockIdx.y; row < nRows; row += gridDim.y) {
        for (int k = 0; k < nInner; k++) {
            sum += A[row * nInner + k] * B[k * nCols + col];
        }
        C[row * nCols + col] = sum;
    }
}

int main()
{
    const int nRows = 300, nCols = 200, nInner = 100;
    float *A = new float[nRows * nInner];
    float *B = new float[nInner * nCols];
    float *C = new float[nRows * nCols];
    for (int i = 0; i < nRows * nInner; i++) A[i] = i % 5;
    for (int i = 0; i < nInner * nCols; i++) B[i] = i % 7;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * nRows * nInner);
    cudaMalloc(&dB, sizeof(float) * nInner * nCols);
    cudaMalloc(&dC, sizeof(float) * nRows * nCols);
    cudaMemcpy(dA, A, sizeof(float) * nRows * nInner, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(float) * nInner * nCols, cudaMemcpyHostToDevice);

    int threads = 128;
    dim3 grid((nCols + threads - 1) / threads, 16);
    stripe<<<grid, threads>>>(dA, dB, dC, nRows, nCols, nInner);
    cudaMemcpy(C, dC, sizeof(float) * nRows * nCols, cudaMemcpyDeviceToHost);

    int diff = 0;
    for (int i = 0; i < nRows; i++)
        for (int j = 0; j < nCols; j++) {
            float s = 0;
            for (int k = 0; k < nInner; k++) s += A[i * nInner + k] * B[k * nCols + j];
            if (s != C[i * nCols + j]) diff++;
        }
    std::cout << diff << " differences" << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
}
