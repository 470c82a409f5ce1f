// "Pair-sum" matrix product.
//   out[i][j] = (A row 2i + A row 2i+1) . (B column 2j + B column 2j+1)
// A is M x K, B is K x N, out is M/2 x N/2; M and N are even.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

constexpr int D = 16;

__global__ void pairSum(const float *A, const float *B, float *out, int M, int K, int N)
{
    __shared__ float rowSum[D][D];
    __shared__ float colSum[D][D];

    const int lx = threadIdx.x, ly = threadIdx.y;
    const int outRow = blockIdx.y * D + ly;
    const int outCol = blockIdx.x * D + lx;
    const int ra = 2 * outRow;                       // first row of the pair
    const int cb = 2 * D * blockIdx.x + lx;          // first column of the pair
    float total = 0.0f;

    for (int k = 0; k < K; k += D) {
        float p = 0.0f, q = 0.0f;
        if (k + lx < K) {
            if (ra < M) p += A[ra * K + k + lx];
            if (ra + 1 < M) p += A[(ra + 1) * K + k + lx];
        }
        if (k + ly < K) {
            if (cb < N) q += B[(k + ly) * N + cb];
            if (cb + D < N) q += B[(k + ly) * N + cb + D];
        }
        rowSum[ly][lx] = p;
        colSum[ly][lx] = q;
        __syncthreads();
        for (int t = 0; t < D; ++t)
            total += rowSum[ly][t] * colSum[t][lx];
        __syncthreads();
    }
    if (outRow < M / 2 && outCol < N / 2)
        out[outRow * (N / 2) + outCol] = total;
}

int main()
{
    const int M = 96, K = 70, N = 104;
    float *A, *B, *out;
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&out, sizeof(float) * (M / 2) * (N / 2));
    for (int i = 0; i < M * K; ++i) A[i] = (rand() % 200 - 100) * 0.01f;
    for (int i = 0; i < K * N; ++i) B[i] = (rand() % 200 - 100) * 0.01f;

    dim3 block(D, D);
    dim3 grid((N / 2 + D - 1) / D, (M / 2 + D - 1) / D);
    pairSum<<<grid, block>>>(A, B, out, M, K, N);
    cudaDeviceSynchronize();

    int bad = 0;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            float s = 0.0f;
            for (int k = 0; k < K; ++k)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) *
                     (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            if (fabsf(s - out[i * (N / 2) + j]) > 1e-3f) ++bad;
        }
    printf("%d of %d differ\n", bad, (M / 2) * (N / 2));
    cudaFree(A); cudaFree(B); cudaFree(out);
    return bad != 0;
}
