// 实验五：矩阵相乘后按 2x2 小块求和
// 设 P = A * B，A 为 m x k，B 为 k x n（行优先，m、n、k >= 1，m <= 2097120，
// 每个矩阵的元素个数不超过 2^31 - 1）。
// 输出 R 为 ceil(m/2) x ceil(n/2)，每个元素是 P 中对应 2x2 小块之和；
// m 或 n 为奇数时，超出边界的部分按 0 处理。
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define T 16              // 每个线程块输出 T x T 个小块之和

__global__ void mul_sum2x2(const float *A, const float *B, float *R,
                           int m, int n, int k)
{
    __shared__ float sa[2 * T][T];
    __shared__ float sb[T][2 * T];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * 2 * T;    // 本块在 P 中的起始行
    int col0 = blockIdx.x * 2 * T;    // 本块在 P 中的起始列

    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int k0 = 0; k0 < k; k0 += T) {
        // 每个线程装入 A 的两个元素和 B 的两个元素
        for (int h = 0; h < 2; h++) {
            int r = row0 + ty + h * T;
            int kc = k0 + tx;
            sa[ty + h * T][tx] = (r < m && kc < k) ? A[r * k + kc] : 0.0f;

            int c = col0 + tx + h * T;
            int kr = k0 + ty;
            sb[ty][tx + h * T] = (kr < k && c < n) ? B[kr * n + c] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < T; q++) {
            float a0 = sa[2 * ty][q], a1 = sa[2 * ty + 1][q];
            float b0 = sb[q][2 * tx], b1 = sb[q][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    int mr = (m + 1) / 2, nr = (n + 1) / 2;
    int i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
    if (i < mr && j < nr)
        R[i * nr + j] = p00 + p01 + p10 + p11;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 101;
    int n = argc > 2 ? atoi(argv[2]) : 90;
    int k = argc > 3 ? atoi(argv[3]) : 67;
    if (m < 1 || n < 1 || k < 1) { printf("尺寸必须为正\n"); return 1; }
    int mr = (m + 1) / 2, nr = (n + 1) / 2;

    std::vector<float> a((size_t)m * k), b((size_t)k * n), r((size_t)mr * nr);
    for (auto &v : a) v = rand() % 9 - 4;
    for (auto &v : b) v = rand() % 9 - 4;

    float *da, *db, *dr;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dr, r.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 grid((nr + T - 1) / T, (mr + T - 1) / T);
    mul_sum2x2<<<grid, dim3(T, T)>>>(da, db, dr, m, n, k);
    cudaError_t e = cudaMemcpy(r.data(), dr, r.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) { printf("CUDA 错误：%s\n", cudaGetErrorString(e)); return 1; }

    std::vector<double> ref((size_t)mr * nr, 0.0);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int q = 0; q < k; q++)
                ref[(size_t)(i / 2) * nr + j / 2] += (double)a[(size_t)i * k + q] * b[(size_t)q * n + j];

    for (size_t t = 0; t < ref.size(); t++)
        if (fabs(ref[t] - r[t]) > 1e-3 * (1 + fabs(ref[t]))) {
            printf("第 %zu 个元素不对：%f 应为 %f\n", t, r[t], ref[t]);
            return 1;
        }
    printf("结果正确\n");
    cudaFree(da); cudaFree(db); cudaFree(dr);
    return 0;
}
