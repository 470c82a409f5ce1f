#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t err = call;                                            \
        if (err != cudaSuccess) {                                          \
            printf("CUDA error: %s\n", cudaGetErrorString(err));           \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

#define T 16

__global__ void blockSum(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[T][T], Bs[T][T];
    const int lx = threadIdx.x, ly = threadIdx.y;
    const int gx = blockIdx.x * T + lx, gy = blockIdx.y * T + ly;

    float acc = 0;
    for (int b = 1; b < (K + T - 1) / T; b++) {
        As[ly][lx] = gy < M && b * T + lx < K ? A[gy * K + b * T + lx] : 0;
        Bs[ly][lx] = b * T + ly < K && gx < N ? B[(b * T + ly) * N + gx] : 0;
        __syncthreads();
        for (int k = 0; k < T; k++)
            acc += As[ly][k] * Bs[k][lx];
        __syncthreads();
    }
    if (gy < M && gx < N) C[gy * N + gx] = acc;
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 256;
    int N = argc > 2 ? atoi(argv[2]) : 128;
    int K = argc > 3 ? atoi(argv[3]) : 320;

    float *A, *B, *C;
    CHECK(cudaMallocManaged(&A, M * K * sizeof(float)));
    CHECK(cudaMallocManaged(&B, K * N * sizeof(float)));
    CHECK(cudaMallocManaged(&C, M * N * sizeof(float)));
    for (int i = 0; i < M * K; i++) A[i] = 1 + i % 4;
    for (int i = 0; i < K * N; i++) B[i] = 1 + i % 3;

    dim3 nThreads(T, T);
    dim3 nBlocks((N + T - 1) / T, (M + T - 1) / T);
    blockSum<<<nBlocks, nThreads>>>(A, B, C, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float expect = 0;
            for (int k = 0; k < K; k++) expect += A[i * K + k] * B[k * N + j];
            if (expect != C[i * N + j]) {
                printf("C[%d][%d] = %f, expected %f\n", i, j, C[i * N + j], expect);
                return 1;
            }
        }
    printf("all elements are right\n");
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return 0;
}
