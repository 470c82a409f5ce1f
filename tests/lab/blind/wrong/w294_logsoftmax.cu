// log-softmax по строкам: out = x - max - log(sum(exp(x - max)))
// Один блок на строку, древовидная редукция в общей памяти.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x) do { if ((x) != cudaSuccess) { \
    std::printf("ошибка CUDA, строка %d\n", __LINE__); std::exit(1); } } while (0)

constexpr int NT = 256;

__global__ void logSoftmax(const float *x, float *out, int cols)
{
    __shared__ float red[NT];
    const float *row = x + (size_t)blockIdx.x * cols;
    float *dst = out + (size_t)blockIdx.x * cols;
    const int tid = threadIdx.x;

    // 1) максимум
    float v = -INFINITY;
    for (int c = tid; c < cols; c += NT)
        v = fmaxf(v, row[c]);
    red[tid] = v;
    __syncthreads();
    for (int s = NT / 2; s > 0; s >>= 1) {
        if (tid < s)
            red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }
    const float rowMax = red[0];

    // 2) сумма экспонент
    v = 0.f;
    for (int c = tid; c < cols; c += NT)
        v += expf(row[c] - rowMax);
    red[tid] = v;
    __syncthreads();
    for (int s = NT / 2; s > 0; s >>= 1) {
        if (tid < s)
            red[tid] += red[tid + s];
        __syncthreads();
    }
    const float shift = rowMax + logf(red[0]);

    // 3) результат
    for (int c = tid; c < cols; c += NT)
        dst[c] = row[c] - shift;
}

int main()
{
    const int rows = 2000, cols = 70;
    std::vector<float> h((size_t)rows * cols), r(h.size());
    for (auto &e : h) e = (std::rand() % 2000) / 100.f - 10.f;

    float *dx, *dy;
    CHECK(cudaMalloc(&dx, h.size() * sizeof(float)));
    CHECK(cudaMalloc(&dy, h.size() * sizeof(float)));
    CHECK(cudaMemcpy(dx, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    logSoftmax<<<rows, NT>>>(dx, dy, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(r.data(), dy, r.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0;
    for (int i = 0; i < rows; ++i) {
        const float *p = &h[(size_t)i * cols];
        double m = p[0], s = 0;
        for (int c = 0; c < cols; ++c) m = std::fmax(m, p[c]);
        for (int c = 0; c < cols; ++c) s += std::exp(p[c] - m);
        for (int c = 0; c < cols; ++c)
            worst = std::fmax(worst, std::fabs(p[c] - m - std::log(s) - r[(size_t)i * cols + c]));
    }
    std::printf("макс. ошибка %g\n", worst);
    cudaFree(dx);
    cudaFree(dy);
    return worst < 1e-4 ? 0 : 1;
}
