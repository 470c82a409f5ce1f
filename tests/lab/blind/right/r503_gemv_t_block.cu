// y = alpha * A^T x + beta * y, column-major A (m x n), one block per column of A.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void gemvT(int m, int n, float alpha, const float *A, int lda,
                      const float *x, float beta, float *y)
{
    extern __shared__ float buf[];
    const int t = threadIdx.x;
    const int col = blockIdx.x;          // gridDim.x == n
    const float *a = A + (size_t)col * lda;

    float s = 0.0f;
    for (int i = t; i < m; i += blockDim.x)
        s += a[i] * x[i];
    buf[t] = s;
    __syncthreads();

    // works for every block size, not only powers of two
    for (int active = blockDim.x; active > 1;) {
        int half = (active + 1) / 2;
        if (t + half < active)
            buf[t] += buf[t + half];
        __syncthreads();
        active = half;
    }

    if (t == 0)
        y[col] = alpha * buf[0] + beta * y[col];
}

static bool test(int m, int n, int lda, int threads)
{
    std::vector<float> A((size_t)lda * n), x(m), y(n), ref(n);
    for (auto &v : A) v = (rand() % 200 - 100) / 100.0f;
    for (auto &v : x) v = (rand() % 200 - 100) / 100.0f;
    for (auto &v : y) v = (rand() % 200 - 100) / 100.0f;
    const float alpha = 1.5f, beta = -0.25f;
    for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int i = 0; i < m; ++i) s += (double)A[i + (size_t)j * lda] * x[i];
        ref[j] = (float)(alpha * s + beta * y[j]);
    }

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice);
    gemvT<<<n, threads, threads * sizeof(float)>>>(m, n, alpha, dA, lda, dx, beta, dy);
    bool ok = cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int j = 0; j < n; ++j)
        if (!(fabsf(y[j] - ref[j]) < 2e-3f)) ok = false;
    printf("m=%d n=%d lda=%d threads=%d: %s\n", m, n, lda, threads, ok ? "pass" : "FAIL");
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return ok;
}

int main()
{
    bool ok = true;
    ok &= test(1000, 300, 1000, 128);
    ok &= test(1000, 300, 1024, 96);
    ok &= test(7, 50, 9, 100);
    ok &= test(2049, 1, 2049, 1);
    return ok ? 0 : 1;
}
