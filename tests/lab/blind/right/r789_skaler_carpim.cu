// Ödev 1: iki vektörün skaler çarpımı (iki aşamalı indirgeme)
#include <cuda_runtime.h>

#define BLOK   256
#define IZGARA 128      // ikinin kuvveti olmalı, ikinci kernel buna güveniyor

__global__ void kismiCarpim(const float *x, const float *y, float *kismi, int n)
{
    __shared__ float s[BLOK];
    int tid = threadIdx.x;

    float t = 0.0f;
    size_t adim = (size_t)BLOK * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * BLOK + tid; i < (size_t)n; i += adim)
        t += x[i] * y[i];
    s[tid] = t;
    __syncthreads();

    // ağaç: her adımda yarısı
    for (int k = BLOK / 2; k > 0; k /= 2) {
        if (tid < k)
            s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0)
        kismi[blockIdx.x] = s[0];
}

__global__ void topla(const float *kismi, float *sonuc)
{
    __shared__ float s[IZGARA];
    int tid = threadIdx.x;
    s[tid] = kismi[tid];
    __syncthreads();
    for (int k = IZGARA / 2; k > 0; k /= 2) {
        if (tid < k)
            s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0)
        *sonuc = s[0];
}

float skalerCarpim(const float *hx, const float *hy, int n)
{
    float *dx, *dy, *dk, *ds, sonuc = 0.0f;
    if (n <= 0)
        return 0.0f;
    cudaMalloc(&dx, (size_t)n * sizeof(float));
    cudaMalloc(&dy, (size_t)n * sizeof(float));
    cudaMalloc(&dk, IZGARA * sizeof(float));
    cudaMalloc(&ds, sizeof(float));
    cudaMemcpy(dx, hx, (size_t)n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy, (size_t)n * sizeof(float), cudaMemcpyHostToDevice);

    kismiCarpim<<<IZGARA, BLOK>>>(dx, dy, dk, n);
    topla<<<1, IZGARA>>>(dk, ds);

    cudaMemcpy(&sonuc, ds, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx); cudaFree(dy); cudaFree(dk); cudaFree(ds);
    return sonuc;
}
