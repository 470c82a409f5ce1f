// レポート課題3: 内積。最後に終わったブロックが部分和をまとめる。
//
// 呼び出し方:
//   unsigned int *count は最初に一度だけ cudaMemset で 0 にする（終わると 0 に戻る）
//   float *part は gridDim.x 個
//   naiseki<<<blocks, BS>>>(x, y, part, count, out, n);   blocks は 1 以上 256 以下、n は 1 以上 1e8 以下

#define BS 256

__device__ float block_sum(float v, float *w)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, o);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) w[warp] = v;
    __syncthreads();
    v = (threadIdx.x < BS / 32) ? w[threadIdx.x] : 0.0f;
    if (warp == 0)
        for (int o = 4; o > 0; o >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();          // w をもう一度使うため
    return v;                 // スレッド 0 だけ正しい
}

__global__ void naiseki(const float *x, const float *y, float *part,
                        unsigned int *count, float *out, int n)
{
    __shared__ float w[BS / 32];
    __shared__ int last;

    float v = 0.0f;
    for (int i = blockIdx.x * BS + threadIdx.x; i < n; i += gridDim.x * BS)
        v += x[i] * y[i];
    v = block_sum(v, w);

    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        last = (atomicAdd(count, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (last) {
        // ブロック数は BS 以下
        v = (threadIdx.x < gridDim.x) ? __ldcg(&part[threadIdx.x]) : 0.0f;
        v = block_sum(v, w);
        if (threadIdx.x == 0) {
            *out = v;
            *count = 0;
        }
    }
}
