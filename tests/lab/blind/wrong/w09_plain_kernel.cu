#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

struct Dims { int M, N, K; };

// A is M x K, B is K x N, C is M x N
__global__ void multiply(const float* A, const float* B, float* C, Dims d)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= d.M || j >= d.N) return;

    float s = 0.0f;
    for (int k = 0; k < d.K; ++k)
        s += A[i * d.K + k] * B[k * d.K + j];
    C[i * d.N + j] = s;
}

static void reference(const float* A, const float* B, float* C, Dims d)
{
    for (int i = 0; i < d.M; ++i)
        for (int j = 0; j < d.N; ++j) {
            float s = 0.0f;
            for (int k = 0; k < d.K; ++k) s += A[i * d.K + k] * B[k * d.N + j];
            C[i * d.N + j] = s;
        }
}

int main()
{
    Dims d = { 120, 90, 200 };
    size_t sa = d.M * d.K * sizeof(float), sb = d.K * d.N * sizeof(float), sc = d.M * d.N * sizeof(float);
    float *A = (float*)malloc(sa), *B = (float*)malloc(sb), *C = (float*)malloc(sc), *R = (float*)malloc(sc);
    for (int i = 0; i < d.M * d.K; ++i) A[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < d.K * d.N; ++i) B[i] = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sa);
    cudaMalloc(&dB, sb);
    cudaMalloc(&dC, sc);
    cudaMemcpy(dA, A, sa, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sb, cudaMemcpyHostToDevice);

    dim3 block(32, 8);
    dim3 grid((d.N + block.x - 1) / block.x, (d.M + block.y - 1) / block.y);
    multiply<<<grid, block>>>(dA, dB, dC, d);
    cudaMemcpy(C, dC, sc, cudaMemcpyDeviceToHost);

    reference(A, B, R, d);
    int errors = 0;
    for (int i = 0; i < d.M * d.N; ++i)
        if (!(fabsf(C[i] - R[i]) < 1e-3f * d.K)) errors++;
    printf("errors: %d\n", errors);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return 0;
}
