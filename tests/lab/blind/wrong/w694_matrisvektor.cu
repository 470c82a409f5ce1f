// Øving 4: y = alpha * A * x + beta * y, en warp per rad
// A er M x N radvis. M og N vilkårlige positive tall, M * N < 2^31.
#include <cuda_runtime.h>

#define WARPS_PER_BLOCK 4
#define MASK 0xFFFFFFFF

__global__ void gemv(int M, int N, float alpha, const float *A, const float *x,
                     float beta, float *y)
{
    // threadIdx.x er plass i warpen, threadIdx.y er hvilken warp
    int rad = blockIdx.x * WARPS_PER_BLOCK + threadIdx.y;
    if (rad >= M)
        return;                       // hele warpen går ut

    float sum0 = 0.0f, sum1 = 0.0f;
    int j = threadIdx.x;
    for (; j + 32 < N; j += 64) {
        sum0 += A[rad * N + j] * x[j];
        sum1 += A[rad * N + j + 32] * x[j + 32];
    }
    if (j < N)
        sum0 += A[rad * N + j] * x[j];

    float sum = sum0 + sum1;
    for (int k = 8; k > 0; k >>= 1)
        sum += __shfl_down_sync(MASK, sum, k);

    if (threadIdx.x == 0) {
        if (beta == 0.0f)
            y[rad] = alpha * sum;
        else
            y[rad] = alpha * sum + beta * y[rad];
    }
}

// pekerne er på GPU-en
void kjor_gemv(int M, int N, float alpha, const float *A, const float *x, float beta, float *y)
{
    dim3 traader(32, WARPS_PER_BLOCK);
    int blokker = (M + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
    gemv<<<blokker, traader>>>(M, N, alpha, A, x, beta, y);
}
