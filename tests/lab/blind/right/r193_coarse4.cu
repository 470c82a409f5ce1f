#include <iostream>
#include <cuda_runtime.h>

template <int TILE, int COARSE>
__global__ void mmCoarse(const float* M, const float* N, float* P, int rows, int inner, int cols)
{
    __shared__ float Mds[TILE][TILE];
    __shared__ float Nds[TILE][TILE];

    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * TILE + ty;
    int colStart = blockIdx.x * TILE * COARSE + tx;

    float Pvalue[COARSE];
    for (int c = 0; c < COARSE; ++c) Pvalue[c] = 0.0f;

    for (int ph = 0; ph < (inner + TILE - 1) / TILE; ++ph) {
        if (row < rows && ph * TILE + tx < inner)
            Mds[ty][tx] = M[row * inner + ph * TILE + tx];
        else
            Mds[ty][tx] = 0.0f;

        for (int c = 0; c < COARSE; ++c) {
            int col = colStart + c * TILE;
            if (ph * TILE + ty < inner && col < cols)
                Nds[ty][tx] = N[(ph * TILE + ty) * cols + col];
            else
                Nds[ty][tx] = 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE; ++k)
                Pvalue[c] += Mds[ty][k] * Nds[k][tx];
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE; ++c) {
        int col = colStart + c * TILE;
        if (row < rows && col < cols) P[row * cols + col] = Pvalue[c];
    }
}

int main()
{
    constexpr int T = 16, F = 4;
    int rows = 50, inner = 70, cols = 150;
    float *M, *N, *P;
    cudaMallocManaged(&M, rows * inner * sizeof(float));
    cudaMallocManaged(&N, inner * cols * sizeof(float));
    cudaMallocManaged(&P, rows * cols * sizeof(float));
    for (int i = 0; i < rows * inner; ++i) M[i] = 0.5f;
    for (int i = 0; i < inner * cols; ++i) N[i] = 2.0f;
    dim3 grid((cols + T * F - 1) / (T * F), (rows + T - 1) / T);
    mmCoarse<T, F><<<grid, dim3(T, T)>>>(M, N, P, rows, inner, cols);
    cudaDeviceSynchronize();
    std::cout << P[0] << " " << P[rows * cols - 1] << " should be " << inner << std::endl;
    return 0;
}
