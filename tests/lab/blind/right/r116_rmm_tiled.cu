// Tiled reduced matrix multiplication.  N must be a multiple of 2*TILE = 32.
#include <iostream>
#include <cstdlib>
#include <cmath>
using namespace std;

#define TILE 16

__global__ void rmmTiled(float *matA, float *matB, float *matC, int N)
{
    __shared__ float blockA[TILE][TILE];
    __shared__ float blockB[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;     // row of C
    int j = blockIdx.x * TILE + tx;     // column of C
    int half = N >> 1;

    float blockC = 0;
    for (int it = 0; it < N / TILE; it++) {
        int ka = it * TILE + tx;
        int kb = it * TILE + ty;
        // 2 elements of A, one below the other
        blockA[ty][tx] = matA[(2*i) * N + ka] + matA[(2*i + 1) * N + ka];
        // 2 elements of B side by side
        blockB[ty][tx] = matB[kb * N + 2*j] + matB[kb * N + 2*j + 1];
        __syncthreads();

        for (int k = 0; k < TILE; k++)
            blockC += blockA[ty][k] * blockB[k][tx];
        __syncthreads();
    }
    matC[i * half + j] = blockC;
}

int main()
{
    const int N = 96, half = N / 2;
    float *A = new float[N*N], *B = new float[N*N], *C = new float[half*half];
    for (int i = 0; i < N*N; i++) { A[i] = rand() % 10; B[i] = rand() % 10; }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, N*N*sizeof(float));
    cudaMalloc(&dB, N*N*sizeof(float));
    cudaMalloc(&dC, half*half*sizeof(float));
    cudaMemcpy(dA, A, N*N*sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, N*N*sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(TILE, TILE);
    dim3 blocks(half/TILE, half/TILE);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    rmmTiled<<<blocks, threads>>>(dA, dB, dC, N);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    cudaMemcpy(C, dC, half*half*sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int r = 0; r < half; r++)
        for (int c = 0; c < half; c++) {
            float s = 0;
            for (int k = 0; k < N; k++)
                for (int u = 0; u < 2; u++)
                    for (int v = 0; v < 2; v++)
                        s += A[(2*r + u)*N + k] * B[k*N + 2*c + v];
            if (fabs(s - C[r*half + c]) > 0.5) wrong++;
        }
    cout << "time " << ms << " ms, wrong: " << wrong << endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return wrong ? 1 : 0;
}
