// 作业三：求浮点数组的最大值及其位置
// 输入为任意有限的 float，n >= 1。值相同时取最小的下标。
// 第一步每个线程块得到一个候选，第二步由一个线程块合并。
#include <cuda_runtime.h>

#define BS 256

struct Pair {
    float val;
    int idx;
};

__device__ Pair better(Pair a, Pair b)
{
    if (b.val > a.val) return b;
    if (b.val == a.val && b.idx < a.idx) return b;
    return a;
}

__device__ Pair block_best(Pair mine)
{
    __shared__ Pair s[BS];
    int t = threadIdx.x;
    s[t] = mine;
    __syncthreads();
    for (int d = BS / 2; d > 0; d /= 2) {
        if (t < d) s[t] = better(s[t], s[t + d]);
        __syncthreads();
    }
    return s[0];
}

__global__ void stage1(const float *x, int n, Pair *cand)
{
    Pair p;
    p.val = 0.0f;
    p.idx = 0x7fffffff;
    for (long long i = (long long)blockIdx.x * BS + threadIdx.x; i < n;
         i += (long long)gridDim.x * BS) {
        Pair q;
        q.val = x[i];
        q.idx = (int)i;
        p = better(p, q);
    }
    p = block_best(p);
    if (threadIdx.x == 0) cand[blockIdx.x] = p;
}

__global__ void stage2(const Pair *cand, int m, Pair *result)
{
    Pair p = cand[0];
    for (int i = threadIdx.x; i < m; i += BS)
        p = better(p, cand[i]);
    p = block_best(p);
    if (threadIdx.x == 0) *result = p;
}

// x 是主机数组；成功返回 0
int find_max(const float *x, int n, float *val, int *idx)
{
    if (n < 1) return -1;
    int blocks = (n - 1) / BS + 1;
    if (blocks > 400) blocks = 400;

    float *dx = 0;
    Pair *dc = 0, *dr = 0, res;
    int rc = -1;
    if (cudaMalloc(&dx, (size_t)n * sizeof(float)) == cudaSuccess &&
        cudaMalloc(&dc, blocks * sizeof(Pair)) == cudaSuccess &&
        cudaMalloc(&dr, sizeof(Pair)) == cudaSuccess) {
        cudaMemcpy(dx, x, (size_t)n * sizeof(float), cudaMemcpyHostToDevice);
        stage1<<<blocks, BS>>>(dx, n, dc);
        stage2<<<1, BS>>>(dc, blocks, dr);
        if (cudaMemcpy(&res, dr, sizeof(Pair), cudaMemcpyDeviceToHost) == cudaSuccess) {
            *val = res.val;
            *idx = res.idx;
            rc = 0;
        }
    }
    cudaFree(dx);
    cudaFree(dc);
    cudaFree(dr);
    return rc;
}
