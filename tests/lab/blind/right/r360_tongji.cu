// 实验 10：直方图
// data 有 n 个整数；值在 [0, bins) 之外的元素不计。
// 每个线程块先在共享内存里统计，然后加到全局结果 hist 上。
// 调用前 hist 必须清零。

__global__ void histogram(const int *data, int n, unsigned int *hist, int bins)
{
    extern __shared__ unsigned int local[];

    // 清空本块的计数器
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        local[b] = 0u;
    __syncthreads();

    // 跨网格循环
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const int v = data[i];
        if (v >= 0 && v < bins)
            atomicAdd(&local[v], 1u);
    }
    __syncthreads();

    // 合并
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (local[b] != 0u)
            atomicAdd(&hist[b], local[b]);
}

// 启动方式：
//   cudaMemset(d_hist, 0, bins * sizeof(unsigned int));
//   histogram<<<64, 256, bins * sizeof(unsigned int)>>>(d_data, n, d_hist, bins);
