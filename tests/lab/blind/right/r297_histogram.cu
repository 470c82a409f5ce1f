// 8 位灰度图直方图:每个线程块先在共享内存里统计,再合并到全局内存
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define BINS 256

#define CUDA_CHECK(expr)                                                    \
    {                                                                       \
        cudaError_t status = (expr);                                        \
        if (status != cudaSuccess) {                                        \
            printf("CUDA 错误 %s (第 %d 行)\n", cudaGetErrorString(status), __LINE__); \
            return -1;                                                      \
        }                                                                   \
    }

__global__ void hist256(const unsigned char *img, int n, unsigned int *hist)
{
    __shared__ unsigned int local[BINS];

    // 清零(线程数可以小于 256)
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[img[i]], 1u);
    __syncthreads();

    // 合并
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (local[b] != 0)
            atomicAdd(&hist[b], local[b]);
}

int main()
{
    const int width = 1021, height = 769;
    const int n = width * height;

    unsigned char *img;
    unsigned int *hist;
    CUDA_CHECK(cudaMallocManaged(&img, n));
    CUDA_CHECK(cudaMallocManaged(&hist, BINS * sizeof(unsigned int)));
    memset(hist, 0, BINS * sizeof(unsigned int));

    unsigned int ref[BINS] = {0};
    for (int i = 0; i < n; ++i) {
        img[i] = (unsigned char)((rand() >> 4) & (rand() >> 3) & 0xFF);
        ref[img[i]]++;
    }

    hist256<<<64, 192>>>(img, n, hist);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());

    int wrong = 0;
    for (int b = 0; b < BINS; ++b)
        if (ref[b] != hist[b]) ++wrong;
    printf("%s (%d)\n", wrong ? "失败" : "通过", wrong);

    cudaFree(img);
    cudaFree(hist);
    return wrong ? 1 : 0;
}
