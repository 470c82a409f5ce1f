#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TB 16

__global__ void panelGemm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[TB][TB + 1];
    __shared__ float sB[TB][TB + 1];

    const int row = blockIdx.y * TB + threadIdx.y;
    const int col = blockIdx.x * TB + threadIdx.x;

    float acc = 0.0f;
    for (int t = 0; t * TB < K; ++t) {
        const int ka = t * TB + threadIdx.x;
        const int kb = t * TB + threadIdx.y;

        sA[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = B[kb * N + col];
        __syncthreads();

        for (int k = 0; k < TB; ++k)
            acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}

void fill(float *p, int count)
{
    for (int i = 0; i < count; ++i) p[i] = rand() % 21 - 10;
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 333;
    int N = argc > 2 ? atoi(argv[2]) : 222;
    int K = argc > 3 ? atoi(argv[3]) : 111;
    float *A = new float[M * K], *B = new float[K * N], *C = new float[M * N];
    fill(A, M * K);
    fill(B, K * N);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid((N + TB - 1) / TB, (M + TB - 1) / TB), block(TB, TB);
    panelGemm<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) ++bad;
        }
    printf("bad = %d\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return bad > 0;
}
