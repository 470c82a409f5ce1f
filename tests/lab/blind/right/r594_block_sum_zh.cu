// 作业：先求 P = A*B，再把 P 的每个 2x2 小块加起来，得到 C (m/2 x n/2)。
// 不存 P：每个线程在寄存器里算自己的 2x2 小块，最后相加。
// 要求 m, n 为偶数，K 任意。
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BS 8            // 线程块 8x8
#define TILE (2 * BS)   // 块负责 P 的 16x16 区域

__global__ void mm_blocksum(const float *A, const float *B, float *C, int m, int n, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int tid = ty * BS + tx;
    int row0 = blockIdx.y * TILE;   // P 中的起始行
    int col0 = blockIdx.x * TILE;   // P 中的起始列

    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        // 64 个线程搬 256 个元素，每个线程 4 个
        for (int e = tid; e < TILE * TILE; e += BS * BS) {
            int r = e / TILE, c = e % TILE;
            As[r][c] = (row0 + r < m && k0 + c < K) ? A[(size_t)(row0 + r) * K + k0 + c] : 0.0f;
            Bs[r][c] = (k0 + r < K && col0 + c < n) ? B[(size_t)(k0 + r) * n + col0 + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TILE; k++) {
            float a0 = As[2 * ty][k],  a1 = As[2 * ty + 1][k];
            float b0 = Bs[k][2 * tx],  b1 = Bs[k][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = blockIdx.y * BS + ty;
    int j = blockIdx.x * BS + tx;
    if (i < m / 2 && j < n / 2)
        C[(size_t)i * (n / 2) + j] = (p00 + p01) + (p10 + p11);
}

static void cpu_ref(const float *A, const float *B, double *C, int m, int n, int K)
{
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            double s = 0;
            for (int k = 0; k < K; k++)
                s += ((double)A[(size_t)(2 * i) * K + k] + A[(size_t)(2 * i + 1) * K + k]) *
                     ((double)B[(size_t)k * n + 2 * j] + B[(size_t)k * n + 2 * j + 1]);
            C[(size_t)i * (n / 2) + j] = s;
        }
}

int main(int argc, char **argv)
{
    int m = 250, n = 134, K = 75;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); K = atoi(argv[3]); }
    if (m < 2 || n < 2 || K < 1 || m % 2 || n % 2) { printf("m, n 必须为偶数\n"); return 1; }

    size_t sa = (size_t)m * K * sizeof(float), sb = (size_t)K * n * sizeof(float);
    size_t nc = (size_t)(m / 2) * (n / 2), sc = nc * sizeof(float);
    float *A = (float *)malloc(sa), *B = (float *)malloc(sb), *C = (float *)malloc(sc);
    double *R = (double *)malloc(nc * sizeof(double));
    for (size_t i = 0; i < (size_t)m * K; i++) A[i] = rand() / (float)RAND_MAX - 0.5f;
    for (size_t i = 0; i < (size_t)K * n; i++) B[i] = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sa); cudaMalloc(&dB, sb); cudaMalloc(&dC, sc);
    cudaMemcpy(dA, A, sa, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sb, cudaMemcpyHostToDevice);

    dim3 block(BS, BS);
    dim3 grid((n / 2 + BS - 1) / BS, (m / 2 + BS - 1) / BS);
    mm_blocksum<<<grid, block>>>(dA, dB, dC, m, n, K);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) { printf("CUDA 错误: %s\n", cudaGetErrorString(err)); return 1; }
    cudaMemcpy(C, dC, sc, cudaMemcpyDeviceToHost);

    cpu_ref(A, B, R, m, n, K);
    double worst = 0;
    for (size_t i = 0; i < nc; i++) worst = fmax(worst, fabs(R[i] - C[i]));
    printf("最大误差 %g: %s\n", worst, worst < 1e-3 ? "正确" : "错误");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return 0;
}
