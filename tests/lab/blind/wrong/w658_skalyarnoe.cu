// Скалярное произведение: дерево в разделяемой памяти,
// последние шаги выполняет один варп.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int NITI = 512;

__device__ void hvost(float* s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void skal(const float* x, const float* y, float* chast, int n)
{
    __shared__ float s[NITI];
    int t = threadIdx.x;
    int i = blockIdx.x * NITI + t;
    s[t] = i < n ? x[i] * y[i] : 0.0f;
    __syncthreads();

    for (int h = NITI / 2; h > 32; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t < 32) hvost(s, t);
    if (t == 0) chast[blockIdx.x] = s[0];
}

int main()
{
    const int n = 123456;
    const int bloki = (n + NITI - 1) / NITI;
    std::vector<float> x(n), y(n), chast(bloki);
    double nado = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = float(i % 9);
        y[i] = float(i % 4);
        nado += double(x[i]) * y[i];
    }

    float *dx, *dy, *dc;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dc, bloki * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    skal<<<bloki, NITI>>>(dx, dy, dc, n);
    cudaMemcpy(chast.data(), dc, bloki * sizeof(float), cudaMemcpyDeviceToHost);

    double itog = 0.0;
    for (float c : chast) itog += c;
    printf("итог %.1f, надо %.1f\n", itog, nado);

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dc);
    return itog == nado ? 0 : 1;
}
