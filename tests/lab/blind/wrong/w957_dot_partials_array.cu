// Dot product without atomics: kernel "part" writes one value per block, kernel "finish" adds them.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

const int NTH = 256;
const int PER = 4;                      // elements per thread

__device__ float reduce(float* s)
{
    for (int h = NTH / 2; h >= 1; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    }
    return threadIdx.x == 0 ? s[0] : 0.0f;
}

__global__ void part(const float* a, const float* b, int n, float* res)
{
    __shared__ float s[NTH];
    int at = blockIdx.x * NTH * PER + threadIdx.x;
    float v = 0;
    for (int e = 0; e < PER; ++e, at += NTH)
        if (at < n) v += a[at] * b[at];
    s[threadIdx.x] = v;
    v = reduce(s);
    if (threadIdx.x == 0) res[blockIdx.x] = v;
}

__global__ void finish(const float* res, int count, float* out)
{
    __shared__ float s[NTH];
    s[threadIdx.x] = threadIdx.x < count ? res[threadIdx.x] : 0.0f;
    float v = reduce(s);
    if (threadIdx.x == 0) *out = v;
}

float dotProduct(const float* ha, const float* hb, int n)
{
    int nb = (n + NTH * PER - 1) / (NTH * PER);
    float *a, *b, *res, got = 0;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&res, (nb + 1) * sizeof(float));
    cudaMemcpy(a, ha, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb, n * sizeof(float), cudaMemcpyHostToDevice);
    part<<<nb, NTH>>>(a, b, n, res);
    finish<<<1, NTH>>>(res, nb, res + nb);
    cudaMemcpy(&got, res + nb, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(a); cudaFree(b); cudaFree(res);
    return got;
}

int main()
{
    for (int n : {1, 777, 100000, 300001}) {
        std::vector<float> x(n), y(n);
        double want = 0;
        for (int i = 0; i < n; ++i) { x[i] = i % 3; y[i] = i % 4 - 1; want += x[i] * y[i]; }
        printf("%d: %g (CPU %g)\n", n, dotProduct(x.data(), y.data(), n), want);
    }
    return 0;
}
