// Homework 6 - double buffering. Square matrices only, N must be a multiple of
// the tile size (the caller picks 8, 16 or 32).
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>

struct Tiles {
    float *a[2];
    float *b[2];
};

__global__ void MatMulDoubleBuffered(const float *A, const float *B, float *C, int N)
{
    extern __shared__ float smem[];
    const int T = blockDim.x;            // == blockDim.y
    Tiles s;
    s.a[0] = smem;
    s.a[1] = smem + T * T;
    s.b[0] = smem + 2 * T * T;
    s.b[1] = smem + 3 * T * T;

    const int Tx = threadIdx.x, Ty = threadIdx.y;
    const int Row = blockIdx.y * T + Ty;
    const int Col = blockIdx.x * T + Tx;
    const int Here = Ty * T + Tx;
    const int NumTiles = N / T;

    // tile number 0
    s.a[0][Here] = A[Row * N + Tx];
    s.b[0][Here] = B[Ty * N + Col];
    __syncthreads();

    float Sum = 0;
    for (int t = 0; t < NumTiles; t++) {
        int Cur = t & 1;
        int Next = 1 - Cur;

        // prefetch the next one into the other buffer, nobody reads it now
        if (t + 1 < NumTiles) {
            s.a[Next][Here] = A[Row * N + (t + 1) * T + Tx];
            s.b[Next][Here] = B[((t + 1) * T + Ty) * N + Col];
        }

        for (int k = 0; k < T; k++)
            Sum += s.a[Cur][Ty * T + k] * s.b[Cur][k * T + Tx];

        __syncthreads();    // one barrier per tile is enough with two buffers
    }

    C[Row * N + Col] = Sum;
}

// All pointers are host pointers, N x N floats each.
bool RunMatMul(const float *hA, const float *hB, float *hC, int N, int TileSize)
{
    assert(TileSize == 8 || TileSize == 16 || TileSize == 32);
    assert(N > 0 && N <= 32768 && N % TileSize == 0);

    const size_t Bytes = sizeof(float) * N * N;
    float *dA = NULL, *dB = NULL, *dC = NULL;
    bool Ok = cudaMalloc(&dA, Bytes) == cudaSuccess &&
              cudaMalloc(&dB, Bytes) == cudaSuccess &&
              cudaMalloc(&dC, Bytes) == cudaSuccess;
    if (Ok) {
        cudaMemcpy(dA, hA, Bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(dB, hB, Bytes, cudaMemcpyHostToDevice);

        dim3 Block(TileSize, TileSize);
        dim3 Grid(N / TileSize, N / TileSize);
        size_t Shared = 4 * TileSize * TileSize * sizeof(float);
        MatMulDoubleBuffered<<<Grid, Block, Shared>>>(dA, dB, dC, N);

        cudaError_t Err = cudaGetLastError();
        if (Err == cudaSuccess)
            Err = cudaMemcpy(hC, dC, Bytes, cudaMemcpyDeviceToHost);
        if (Err != cudaSuccess) {
            printf("MatMul failed: %s\n", cudaGetErrorString(Err));
            Ok = false;
        }
    }
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return Ok;
}
