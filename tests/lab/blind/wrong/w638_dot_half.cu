#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// Dot product of two half arrays with half2 loads. n must be even.
// Every block writes its part, the host adds the parts.
constexpr int THREADS = 256;
constexpr int BLOCKS = 32;

__device__ float warpReduce(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void dotHalf(const __half2* a, const __half2* b, int pairs, float* parts)
{
    __shared__ float sums[THREADS / 32];
    __half2 acc = __float2half2_rn(0.0f);
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < pairs; i += BLOCKS * THREADS)
        acc = __hfma2(a[i], b[i], acc);

    float v = warpReduce(__low2float(acc) + __high2float(acc));
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v;
    __syncthreads();

    if (threadIdx.x < 32) {
        v = threadIdx.x < THREADS / 32 ? sums[threadIdx.x] : 0.0f;
        v = warpReduce(v);
        if (threadIdx.x == 0)
            parts[blockIdx.x] = v;
    }
}

int main()
{
    const int n = 1 << 26;
    std::vector<__half> a(n), b(n);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        float fa = 1.0f + (i % 3) * 0.25f;
        float fb = 1.0f + (i % 5) * 0.5f;
        a[i] = __float2half(fa);
        b[i] = __float2half(fb);
        expected += (double)fa * fb;
    }

    __half *da, *db;
    float *dparts;
    cudaMalloc(&da, n * sizeof(__half));
    cudaMalloc(&db, n * sizeof(__half));
    cudaMalloc(&dparts, BLOCKS * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(__half), cudaMemcpyHostToDevice);

    dotHalf<<<BLOCKS, THREADS>>>(reinterpret_cast<const __half2*>(da),
                                 reinterpret_cast<const __half2*>(db), n / 2, dparts);
    std::vector<float> parts(BLOCKS);
    cudaMemcpy(parts.data(), dparts, BLOCKS * sizeof(float), cudaMemcpyDeviceToHost);

    double total = 0.0;
    for (float p : parts) total += p;
    std::printf("dot = %.1f, expected = %.1f\n", total, expected);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dparts);
    return 0;
}
