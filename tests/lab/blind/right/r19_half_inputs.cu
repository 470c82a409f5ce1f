// half precision inputs and output, float accumulation
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TILE 16

__global__ void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K)
{
    __shared__ __half sA[TILE][TILE];
    __shared__ __half sB[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    const __half zero = __float2half(0.0f);

    float acc = 0.0f;    // important: accumulate in float, half is not enough
    for (int t = 0; t < K; t += TILE) {
        sA[ty][tx] = (row < M && t + tx < K) ? A[row * K + t + tx] : zero;
        sB[ty][tx] = (t + ty < K && col < N) ? B[(t + ty) * N + col] : zero;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            acc += __half2float(sA[ty][k]) * __half2float(sB[k][tx]);
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = __float2half(acc);
}

int main()
{
    const int M = 70, N = 90, K = 110;
    std::vector<__half> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; i++) A[i] = __float2half((rand() % 16) / 16.0f);
    for (int i = 0; i < K * N; i++) B[i] = __float2half((rand() % 16) / 16.0f - 0.5f);

    __half *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(__half));
    cudaMalloc(&dB, B.size() * sizeof(__half));
    cudaMalloc(&dC, C.size() * sizeof(__half));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(__half), cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    hgemm<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(__half), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += __half2float(A[i * K + k]) * __half2float(B[k * N + j]);
            float g = __half2float(C[i * N + j]);
            if (!(fabsf(g - s) <= 0.005f * (1.0f + fabsf(s)))) bad++;
        }
    printf("%s\n", bad ? "BAD" : "OK");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad ? 1 : 0;
}
