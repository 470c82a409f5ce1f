// Tiled matrix multiplication for any element type and tile, with its host program; any sizes.
// The barrier before the next load is missing.

#include <cstdio>

template <typename T, int TILE>
__global__ void matmul(const T* A, const T* B, T* C, int rows, int inner, int cols)
{
    __shared__ T As[TILE][TILE];
    __shared__ T Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;

    T sum = 0;
    for (int p = 0; p < inner; p += TILE) {
        bool insideA = row < rows && p + threadIdx.x < inner;
        bool insideB = p + threadIdx.y < inner && col < cols;
        As[threadIdx.y][threadIdx.x] = insideA ? A[row * inner + p + threadIdx.x] : T(0);  // planted: race
        Bs[threadIdx.y][threadIdx.x] = insideB ? B[(p + threadIdx.y) * cols + col] : T(0);  // planted: race
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];  // planted: race
    }
    if (row < rows && col < cols)
        C[row * cols + col] = sum;
}

template __global__ void matmul<float, 8>(const float*, const float*, float*, int, int, int);

int main()
{
    const int rows = 20, inner = 28, cols = 36;
    float *A, *B, *C;
    cudaMallocManaged(&A, rows * inner * sizeof(float));
    cudaMallocManaged(&B, inner * cols * sizeof(float));
    cudaMallocManaged(&C, rows * cols * sizeof(float));
    for (int i = 0; i < rows * inner; ++i) A[i] = i % 7;
    for (int i = 0; i < inner * cols; ++i) B[i] = i % 5;
    dim3 block(8, 8), grid((cols + 7) / 8, (rows + 7) / 8);
    matmul<float, 8><<<grid, block>>>(A, B, C, rows, inner, cols);
    cudaDeviceSynchronize();
    printf("%g\n", C[0]);
}
