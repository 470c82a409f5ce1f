// 作业四：y = A^T x，x 分段放进常量内存
// A 为 m 行 n 列（行优先），x 长 m，y 长 n。m、n 任意正数。
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const int kDuan = 4096;          // 每段长度
__constant__ float c_x[kDuan];

__global__ void at_x(const float* A, float* y, int hang0, int shu, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    const float* a = A + (size_t)hang0 * n + j;
    float he = y[j];                    // 接着前一段的结果继续加
    for (int i = 0; i < shu; ++i)
        he += a[(size_t)i * n] * c_x[i];
    y[j] = he;
}

bool jisuan(const std::vector<float>& A, const std::vector<float>& x,
            std::vector<float>& y, int m, int n)
{
    float *dA = nullptr, *dy = nullptr;
    if (cudaMalloc(&dA, A.size() * sizeof(float)) != cudaSuccess) return false;
    if (cudaMalloc(&dy, n * sizeof(float)) != cudaSuccess) { cudaFree(dA); return false; }
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, n * sizeof(float));

    const int xian = 128;
    const int kuai = (n + xian - 1) / xian;
    for (int h = 0; h < m; h += kDuan) {
        int shu = std::min(kDuan, m - h);
        cudaMemcpyToSymbol(c_x, x.data() + h, shu * sizeof(float));
        at_x<<<kuai, xian>>>(dA, dy, h, shu, n);
    }
    y.resize(n);
    cudaError_t e = cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (e == cudaSuccess) e = cudaGetLastError();
    cudaFree(dA);
    cudaFree(dy);
    return e == cudaSuccess;
}

int main()
{
    const int m = 9001, n = 333;
    std::vector<float> A((size_t)m * n), x(m), y;
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)(i % 17) / 16.0f;
    for (int i = 0; i < m; ++i) x[i] = (float)(i % 5) - 2.0f;

    if (!jisuan(A, x, y, m, n)) {
        printf("CUDA 出错\n");
        return 1;
    }
    double zuida = 0;
    for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int i = 0; i < m; ++i) s += (double)A[(size_t)i * n + j] * x[i];
        zuida = std::max(zuida, std::fabs(s - y[j]));
    }
    printf("最大误差 %g\n", zuida);
    return zuida < 0.05 ? 0 : 1;
}
