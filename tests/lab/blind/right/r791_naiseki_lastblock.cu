// 内積(1回のカーネル起動で終わらせる版)
// 最後に終わったブロックが部分和をまとめる
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int THREADS = 512;
constexpr int MAX_BLOCKS = 256;

__device__ unsigned int doneCount = 0;

// ブロック内の総和。結果はスレッド0が持つ
__device__ float blockSum(float v, float *sm)
{
    int tid = threadIdx.x;
    sm[tid] = v;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h >>= 1) {
        if (tid < h) sm[tid] += sm[tid + h];
        __syncthreads();
    }
    return sm[0];
}

__global__ void naiseki(const float *x, const float *y, volatile float *partial,
                        float *result, long long n)
{
    __shared__ float sm[THREADS];
    __shared__ bool isLast;

    float v = 0.0f;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (long long)gridDim.x * THREADS)
        v += x[i] * y[i];

    v = blockSum(v, sm);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();                       // 部分和を先に見せる
        unsigned int c = atomicInc(&doneCount, gridDim.x - 1);
        isLast = (c == gridDim.x - 1);         // カウンタは自動で0に戻る
        __threadfence();
    }
    __syncthreads();

    if (isLast) {
        float s = 0.0f;
        for (unsigned int b = threadIdx.x; b < gridDim.x; b += THREADS)
            s += partial[b];
        s = blockSum(s, sm);
        if (threadIdx.x == 0)
            *result = s;
    }
}

int main()
{
    const long long n = 1000003;
    std::vector<float> hx(n), hy(n);
    double ref = 0.0;
    for (long long i = 0; i < n; i++) {
        hx[i] = (i % 7) * 0.25f;
        hy[i] = (i % 5) * 0.5f;
        ref += (double)hx[i] * hy[i];
    }

    float *x, *y, *partial, *result, h;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&partial, MAX_BLOCKS * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    long long want = (n + THREADS - 1) / THREADS;
    int blocks = want < MAX_BLOCKS ? (int)want : MAX_BLOCKS;
    naiseki<<<blocks, THREADS>>>(x, y, partial, result, n);

    cudaMemcpy(&h, result, sizeof(float), cudaMemcpyDeviceToHost);
    printf("gpu %g  cpu %g\n", h, ref);

    cudaFree(x); cudaFree(y); cudaFree(partial); cudaFree(result);
    return 0;
}
