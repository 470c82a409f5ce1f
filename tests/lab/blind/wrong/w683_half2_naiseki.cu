// 半精度ベクトルの内積 (half2 で二つずつ読む)
// n は任意 (奇数でもよい)
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>

constexpr int BLOCK = 128;

__global__ void naiseki(const __half *x, const __half *y, int n, float *kekka)
{
    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    const __half2 *y2 = reinterpret_cast<const __half2 *>(y);
    const int hanbun = n / 2;

    float wa = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < hanbun; i += gridDim.x * BLOCK) {
        float2 a = __half22float2(x2[i]);
        float2 b = __half22float2(y2[i]);
        wa += a.x * b.x + a.y * b.y;
    }

    __shared__ float s[BLOCK];
    s[threadIdx.x] = wa;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(kekka, s[0]);
}

float keisan(const std::vector<__half> &x, const std::vector<__half> &y)
{
    int n = (int)x.size();
    __half *dx, *dy;
    float *dk, k = 0.0f;
    cudaMalloc(&dx, n * sizeof(__half));
    cudaMalloc(&dy, n * sizeof(__half));
    cudaMalloc(&dk, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, &k, sizeof(float), cudaMemcpyHostToDevice);
    naiseki<<<32, BLOCK>>>(dx, dy, n, dk);
    cudaMemcpy(&k, dk, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dk);
    return k;
}

int main()
{
    int n = 5000;
    std::vector<__half> x(n), y(n);
    float tadasii = 0.0f;
    for (int i = 0; i < n; i++) {
        float a = 0.25f * (i % 8), b = 1.0f - 0.5f * (i % 3);
        x[i] = __float2half(a);
        y[i] = __float2half(b);
        tadasii += a * b;
    }
    printf("GPU %f  CPU %f\n", keisan(x, y), tadasii);
    return 0;
}
