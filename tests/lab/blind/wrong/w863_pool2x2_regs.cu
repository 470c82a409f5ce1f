#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

/* D (m x n): D(i,j) = P(2i,2j)+P(2i,2j+1)+P(2i+1,2j)+P(2i+1,2j+1),  P = A*B
   A: 2m x k, B: k x 2n, row-major. Each thread owns one D element and keeps
   its 2x2 patch of P in registers until the end. m, n, k multiples of 16. */

enum { BT = 16 };

__global__ void gemm_pool(const float *__restrict__ A, const float *__restrict__ B,
                          float *__restrict__ D, int m, int n, int k)
{
    __shared__ float a_s[2 * BT][BT];
    __shared__ float b_s[BT][2 * BT];
    const int tid = threadIdx.y * BT + threadIdx.x;
    const int row0 = blockIdx.y * 2 * BT, col0 = blockIdx.x * 2 * BT;
    const int ldb = 2 * n;
    float p[2][2] = {{0, 0}, {0, 0}};

    for (int kt = 0; kt < k; kt += BT) {
        for (int e = tid; e < 2 * BT * BT; e += BT * BT) {
            a_s[e / BT][e % BT] = A[(row0 + e / BT) * k + kt + e % BT];
            b_s[e / (2 * BT)][e % (2 * BT)] = B[(kt + e / (2 * BT)) * ldb + col0 + e % (2 * BT)];
        }
        __syncthreads();
        for (int q = 0; q < BT; ++q) {
            float a[2], b[2];
            for (int u = 0; u < 2; ++u) {
                a[u] = a_s[2 * threadIdx.y + u][q];
                b[u] = b_s[q][threadIdx.x + u * BT];
            }
            for (int u = 0; u < 2; ++u)
                for (int v = 0; v < 2; ++v)
                    p[u][v] += a[u] * b[v];
        }
        __syncthreads();
    }
    D[(blockIdx.y * BT + threadIdx.y) * n + blockIdx.x * BT + threadIdx.x] =
        (p[0][0] + p[0][1]) + (p[1][0] + p[1][1]);
}

int main()
{
    const int m = 48, n = 32, k = 80;
    float *A, *B, *D;
    cudaMallocManaged(&A, sizeof(float) * 2 * m * k);
    cudaMallocManaged(&B, sizeof(float) * k * 2 * n);
    cudaMallocManaged(&D, sizeof(float) * m * n);
    for (int i = 0; i < 2 * m * k; ++i) A[i] = (rand() % 200 - 100) / 100.f;
    for (int i = 0; i < 2 * n * k; ++i) B[i] = (rand() % 200 - 100) / 100.f;

    gemm_pool<<<dim3(n / BT, m / BT), dim3(BT, BT)>>>(A, B, D, m, n, k);
    cudaDeviceSynchronize();

    float worst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int q = 0; q < k; ++q)
                s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) *
                     (B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1]);
            worst = fmaxf(worst, fabsf(s - D[i * n + j]));
        }
    printf("max err %g -> %s\n", worst, worst < 1e-2f ? "PASS" : "FAIL");
    return 0;
}
