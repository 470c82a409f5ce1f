// 課題4: 半精度 (half) の行列積。足し算は float で行う。
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>

constexpr int W = 16;   // ブロックは W x W スレッド

// 1スレッドが横に並んだ2つの要素を計算する
__global__ void hgemm2(const __half *a, const __half *b, __half *c, int m, int n, int k)
{
    __shared__ float sa[W][W];
    __shared__ float sb[W][2 * W];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * W + ty;
    int col = blockIdx.x * (2 * W) + tx;     // もう1つは col + W

    float s0 = 0.f, s1 = 0.f;
    int steps = (k + W - 1) / W;
    for (int s = 0; s < steps; s++) {
        int ka = s * W + tx;
        int kb = s * W + ty;
        sa[ty][tx] = (row < m && ka < k) ? __half2float(a[row * k + ka]) : 0.f;
        sb[ty][tx] = (kb < k && col < n) ? __half2float(b[kb * n + col]) : 0.f;
        sb[ty][tx + W] = (kb < k && col + W < n) ? __half2float(b[kb * n + col + W]) : 0.f;
        __syncthreads();
        for (int q = 0; q < W; q++) {
            float av = sa[ty][q];
            s0 = fmaf(av, sb[q][tx], s0);
            s1 = fmaf(av, sb[q][tx + W], s1);
        }
        __syncthreads();
    }
    if (row < m) {
        if (col < n)     c[row * n + col]     = __float2half(s0);
        if (col + W < n) c[row * n + col + W] = __float2half(s1);
    }
}

int main()
{
    const int m = 50, n = 77, k = 41;
    std::vector<__half> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++) a[i] = __float2half((i % 5) * 0.25f);
    for (int i = 0; i < k * n; i++) b[i] = __float2half((i % 3) * 0.5f - 0.5f);

    __half *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(__half));
    cudaMalloc(&db, b.size() * sizeof(__half));
    cudaMalloc(&dc, c.size() * sizeof(__half));
    cudaMemcpy(da, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice);

    dim3 grid((n + 2 * W - 1) / (2 * W), (m + W - 1) / W);
    hgemm2<<<grid, dim3(W, W)>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(__half), cudaMemcpyDeviceToHost);

    float maxerr = 0.f;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.f;
            for (int q = 0; q < k; q++)
                s += __half2float(a[i * k + q]) * __half2float(b[q * n + j]);
            maxerr = fmaxf(maxerr, fabsf(s - __half2float(c[i * n + j])));
        }
    printf("最大誤差 = %g\n", maxerr);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
