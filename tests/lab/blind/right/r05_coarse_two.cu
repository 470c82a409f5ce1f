// every thread computes a 2x2 patch of C. Block of 16x16 threads -> 32x32 outputs
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda.h>

#define BS 16
#define W 2
#define T (BS * W)   // 32

__global__ void matmul2x2(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float sA[T][BS];
    __shared__ float sB[BS][T];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int r0 = blockIdx.y * T + ty;       // my rows: r0 and r0 + 16
    const int c0 = blockIdx.x * T + tx;       // my cols: c0 and c0 + 16
    const int r1 = r0 + BS;
    const int c1 = c0 + BS;

    float acc00 = 0.f, acc01 = 0.f, acc10 = 0.f, acc11 = 0.f;

    for (int kk = 0; kk < K; kk += BS) {
        int ka = kk + tx;
        sA[ty][tx]      = (r0 < M && ka < K) ? A[r0 * K + ka] : 0.f;
        sA[ty + BS][tx] = (r1 < M && ka < K) ? A[r1 * K + ka] : 0.f;
        int kb = kk + ty;
        sB[ty][tx]      = (kb < K && c0 < N) ? B[kb * N + c0] : 0.f;
        sB[ty][tx + BS] = (kb < K && c1 < N) ? B[kb * N + c1] : 0.f;
        __syncthreads();

        for (int k = 0; k < BS; k++) {
            float a0 = sA[ty][k];
            float a1 = sA[ty + BS][k];
            float b0 = sB[k][tx];
            float b1 = sB[k][tx + BS];
            acc00 += a0 * b0;
            acc01 += a0 * b1;
            acc10 += a1 * b0;
            acc11 += a1 * b1;
        }
        __syncthreads();
    }

    if (r0 < M && c0 < N) C[r0 * N + c0] = acc00;
    if (r0 < M && c1 < N) C[r0 * N + c1] = acc01;
    if (r1 < M && c0 < N) C[r1 * N + c0] = acc10;
    if (r1 < M && c1 < N) C[r1 * N + c1] = acc11;
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 200;
    int N = argc > 2 ? atoi(argv[2]) : 333;
    int K = argc > 3 ? atoi(argv[3]) : 145;

    float *A, *B, *C;   // managed memory is easier
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = (i * 7 % 11) * 0.1f;
    for (int i = 0; i < K * N; i++) B[i] = (i * 3 % 19) * 0.1f - 0.9f;

    dim3 threads(BS, BS);
    dim3 grid((N + T - 1) / T, (M + T - 1) / T);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    matmul2x2<<<grid, threads>>>(M, N, K, A, B, C);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    cudaDeviceSynchronize();
    printf("time: %.3f ms\n", ms);

    bool good = true;
    for (int i = 0; i < M && good; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)A[i * K + k] * B[k * N + j];
            if (!(fabs(s - C[i * N + j]) <= 1e-3)) { good = false; break; }
        }
    puts(good ? "OK" : "BAD");
    cudaFree(A); cudaFree(B); cudaFree(C);
    return good ? 0 : 1;
}
