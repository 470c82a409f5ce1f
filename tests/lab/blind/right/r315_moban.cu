// 作业三：用模板写分块矩阵乘法
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define CUDA_CHECK(expr)                                             \
    do {                                                             \
        cudaError_t st = (expr);                                     \
        if (st != cudaSuccess) {                                     \
            std::printf("%d 行出错: %s\n", __LINE__, cudaGetErrorString(st)); \
            std::abort();                                            \
        }                                                            \
    } while (0)

template <typename T, int W>
__global__ void fenkuaiChengfa(const T *a, const T *b, T *c, int m, int k, int n)
{
    __shared__ T sa[W][W];
    __shared__ T sb[W][W];

    const int hang = blockIdx.y * W + threadIdx.y; // 行
    const int lie = blockIdx.x * W + threadIdx.x;  // 列
    T he = T(0);

    for (int p = 0; p < k; p += W) {
        // 越界的地方补零
        sa[threadIdx.y][threadIdx.x] = (hang < m && p + (int)threadIdx.x < k) ? a[hang * k + p + threadIdx.x] : T(0);
        sb[threadIdx.y][threadIdx.x] = (p + (int)threadIdx.y < k && lie < n) ? b[(p + threadIdx.y) * n + lie] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < W; ++i)
            he += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (hang < m && lie < n)
        c[hang * n + lie] = he;
}

template <typename T, int W>
bool ceshi(int m, int k, int n)
{
    std::vector<T> a(m * k), b(k * n), c(m * n);
    for (auto &v : a) v = T(std::rand() % 7 - 3);
    for (auto &v : b) v = T(std::rand() % 7 - 3);

    T *da, *db, *dc;
    CUDA_CHECK(cudaMalloc(&da, a.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&db, b.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&dc, c.size() * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));

    dim3 kuai(W, W);
    dim3 wangge((n + W - 1) / W, (m + W - 1) / W);
    fenkuaiChengfa<T, W><<<wangge, kuai>>>(da, db, dc, m, k, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(da));
    CUDA_CHECK(cudaFree(db));
    CUDA_CHECK(cudaFree(dc));

    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            T s = 0;
            for (int q = 0; q < k; ++q) s += a[i * k + q] * b[q * n + j];
            if (s != c[i * n + j]) return false;
        }
    return true;
}

int main()
{
    std::printf("int   8: %s\n", ceshi<int, 8>(45, 61, 38) ? "正确" : "错误");
    std::printf("float 32: %s\n", ceshi<float, 32>(100, 65, 129) ? "正确" : "错误");
    return 0;
}
