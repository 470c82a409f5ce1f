// 히스토그램: 값의 범위 [lo, hi) 를 nbins 칸으로 나누어 센다.
// 블록마다 공유 메모리에 부분 히스토그램을 만든 뒤 전역 메모리에 더한다.
// 공유 메모리: nbins * sizeof(unsigned), nbins <= 4096. 전역 hist 는 미리 0으로 초기화.
#include <cuda_runtime.h>

__global__ void histogram(const float *v, long long n, float lo, float hi,
                          unsigned *hist, int nbins)
{
    extern __shared__ unsigned local[];

    if (threadIdx.x < nbins)
        local[threadIdx.x] = 0;
    __syncthreads();

    const float scale = nbins / (hi - lo);
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        const float f = v[i];
        if (f >= lo && f < hi) {
            int b = (int)((f - lo) * scale);
            if (b > nbins - 1) b = nbins - 1;    // 반올림 때문에 넘칠 수 있다
            atomicAdd(&local[b], 1u);
        }
    }
    __syncthreads();

    for (int b = threadIdx.x; b < nbins; b += blockDim.x)
        if (local[b] != 0)
            atomicAdd(&hist[b], local[b]);
}

void launchHistogram(const float *v, long long n, float lo, float hi,
                     unsigned *hist, int nbins)
{
    const int threads = 256;
    const int blocks = 120;
    cudaMemset(hist, 0, nbins * sizeof(unsigned));
    histogram<<<blocks, threads, nbins * sizeof(unsigned)>>>(v, n, lo, hi, hist, nbins);
}
