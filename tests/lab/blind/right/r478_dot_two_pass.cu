// dot(x, y) in two kernels; warp shuffles inside each block
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int MAX_BLOCKS = 512;

__inline__ __device__ double warpSum(double v)
{
    for (int off = 16; off > 0; off >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

__inline__ __device__ double blockSum(double v)
{
    __shared__ double perWarp[THREADS / 32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    v = warpSum(v);
    if (lane == 0) perWarp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < THREADS / 32 ? perWarp[lane] : 0.0;
        v = warpSum(v);
    }
    return v;            // good in thread 0
}

__global__ void dotPartial(const double *x, const double *y, double *partial, int n)
{
    double acc = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        acc = fma(x[i], y[i], acc);
    acc = blockSum(acc);
    if (threadIdx.x == 0) partial[blockIdx.x] = acc;
}

__global__ void sumPartial(const double *partial, double *result, int count)
{
    double acc = 0.0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        acc += partial[i];
    acc = blockSum(acc);
    if (threadIdx.x == 0) *result = acc;
}

int main()
{
    const int n = 1000003;
    double *x, *y, *partial, *result;
    cudaMallocManaged(&x, n * sizeof(double));
    cudaMallocManaged(&y, n * sizeof(double));
    cudaMallocManaged(&partial, MAX_BLOCKS * sizeof(double));
    cudaMallocManaged(&result, sizeof(double));
    double want = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 10) * 0.5;
        y[i] = (i % 3) - 1.0;
        want += x[i] * y[i];
    }
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    dotPartial<<<blocks, THREADS>>>(x, y, partial, n);
    sumPartial<<<1, THREADS>>>(partial, result, blocks);
    cudaDeviceSynchronize();
    printf("got %.6f want %.6f\n", *result, want);
    bool ok = std::fabs(*result - want) < 1e-6 * (1.0 + std::fabs(want));
    cudaFree(x); cudaFree(y); cudaFree(partial); cudaFree(result);
    return ok ? 0 : 1;
}
