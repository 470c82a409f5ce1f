// 頻度分布(ヒストグラム): 0 <= data[i] < kaikyuu の整数データを数える
// ブロックごとに共有メモリで数え、最後に全体へ合算する。
// kaikyuu <= 4096。n は任意。範囲外の値は無視する。
#include <cuda_runtime.h>

__global__ void hindoBunpu(const int* data, long long n, int kaikyuu, unsigned int* kekka)
{
    extern __shared__ unsigned int kyoyu[];

    for (int b = threadIdx.x; b < kaikyuu; b += blockDim.x) {
        kyoyu[b] = 0;
    }
    __syncthreads();

    long long haba = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += haba) {
        int v = data[i];
        if (v >= 0 && v < kaikyuu) {
            atomicAdd(&kyoyu[v], 1u);
        }
    }
    __syncthreads();

    for (int b = threadIdx.x; b < kaikyuu; b += blockDim.x) {
        kekka[b] += kyoyu[b];
    }
}

void hindoBunpuJikkou(const int* d_data, long long n, int kaikyuu, unsigned int* d_kekka)
{
    cudaMemset(d_kekka, 0, kaikyuu * sizeof(unsigned int));
    if (n <= 0) return;

    const int threads = 256;
    long long blocks = (n + threads - 1) / threads;
    if (blocks > 240) blocks = 240;

    hindoBunpu<<<(int)blocks, threads, kaikyuu * sizeof(unsigned int)>>>(d_data, n, kaikyuu, d_kekka);
}
