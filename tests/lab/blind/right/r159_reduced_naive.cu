// Assignment 2, part A: "reduced" matrix multiplication, no shared memory yet.
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A is M x K, B is K x N, C is M/2 x N/2.
// M and N are even.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define CHECK(call)                                                        \
    {                                                                      \
        cudaError_t err = call;                                            \
        if (err != cudaSuccess) {                                          \
            printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                       \
        }                                                                  \
    }

__global__ void reducedMM(const float *A, const float *B, float *C, int M, int K, int N)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int outRows = M / 2;
    int outCols = N / 2;

    if (i >= outRows || j >= outCols)
        return;

    const float *a0 = A + (2 * i) * K;
    const float *a1 = a0 + K;

    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        float left  = a0[k] + a1[k];
        float right = B[k * N + 2 * j] + B[k * N + 2 * j + 1];
        acc += left * right;
    }
    C[i * outCols + j] = acc;
}

static void reference(const float *A, const float *B, float *C, int M, int K, int N)
{
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k)
                s += (double)(A[2 * i * K + k] + A[(2 * i + 1) * K + k]) *
                     (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            C[i * (N / 2) + j] = (float)s;
        }
}

int main()
{
    const int M = 94, K = 61, N = 118;
    const int outSize = (M / 2) * (N / 2);
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(outSize * sizeof(float));
    float *R = (float *)malloc(outSize * sizeof(float));
    for (int i = 0; i < M * K; ++i) A[i] = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < K * N; ++i) B[i] = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, M * K * sizeof(float)));
    CHECK(cudaMalloc(&dB, K * N * sizeof(float)));
    CHECK(cudaMalloc(&dC, outSize * sizeof(float)));
    CHECK(cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice));

    dim3 threads(32, 8);
    dim3 blocks((N / 2 + threads.x - 1) / threads.x, (M / 2 + threads.y - 1) / threads.y);
    reducedMM<<<blocks, threads>>>(dA, dB, dC, M, K, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, dC, outSize * sizeof(float), cudaMemcpyDeviceToHost));

    reference(A, B, R, M, K, N);
    float worst = 0;
    for (int i = 0; i < outSize; ++i) worst = fmaxf(worst, fabsf(C[i] - R[i]));
    printf("max diff %g -> %s\n", worst, worst < 1e-3f ? "ok" : "WRONG");
    CHECK(cudaFree(dA)); CHECK(cudaFree(dB)); CHECK(cudaFree(dC));
    free(A); free(B); free(C); free(R);
    return worst < 1e-3f ? 0 : 1;
}
