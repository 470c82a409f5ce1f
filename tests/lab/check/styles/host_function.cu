#include <cuda_runtime.h>
#include <cstdlib>
#include <chrono>
static float* toDevice(const float* host, int count) { float* d; cudaMalloc(&d, count * sizeof(float)); cudaMemcpy(d, host, count * sizeof(float), cudaMemcpyHostToDevice); return d; }
__global__ void multiply(float *result, float *left, float *right, int heightL, int widthL, int widthR)
{
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x < widthR && y < heightL) {
        result[y * widthR + x] = 0;
        for (int i = 0; i < widthL; ++i)
            result[y * widthR + x] += left[y * widthL + i] * right[i * widthR + x];
    }
}
extern "C" void multiplyOnDevice(float *r, float *a, float *b, int h, int w, int w2, int threads)
{
    float *dA = toDevice(a, h * w), *dB = toDevice(b, w * w2), *dR;
    cudaMalloc(&dR, h * w2 * sizeof(float));
    dim3 block(threads, threads);
    multiply<<<dim3((w2 + threads - 1) / threads, (h + threads - 1) / threads), block>>>(dR, dA, dB, h, w, w2);
    cudaMemcpy(r, dR, h * w2 * sizeof(float), cudaMemcpyDeviceToHost);
}
