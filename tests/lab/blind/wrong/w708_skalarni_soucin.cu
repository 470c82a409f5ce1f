// Skalární součin, blok může mít 32, 64, ... až 1024 vláken.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

template <typename T>
__device__ T warpSum(T v)
{
    #pragma unroll
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

template <typename T>
__global__ void dotKernel(const T* a, const T* b, T* blockSums, int n)
{
    __shared__ T warpSums[32];
    const int lane = threadIdx.x & 31;
    const int wid  = threadIdx.x >> 5;

    T s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += a[i] * b[i];

    s = warpSum(s);
    if (lane == 0) warpSums[wid] = s;
    __syncthreads();

    if (wid == 0) {
        s = warpSums[lane];
        s = warpSum(s);
        if (lane == 0) blockSums[blockIdx.x] = s;
    }
}

int main(int argc, char** argv)
{
    const int n = 50000;
    int vlaken = argc > 1 ? std::atoi(argv[1]) : 256;
    if (vlaken < 32 || vlaken > 1024 || vlaken % 32 != 0) {
        std::printf("pocet vlaken musi byt nasobek 32, nejvyse 1024\n");
        return 1;
    }
    const int bloku = 40;

    std::vector<double> a(n), b(n), castecne(bloku);
    double presne = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = (i % 10) * 0.25;
        b[i] = (i % 4) - 1.5;
        presne += a[i] * b[i];
    }

    double *da, *db, *dc;
    cudaMalloc(&da, n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dc, bloku * sizeof(double));
    cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    dotKernel<double><<<bloku, vlaken>>>(da, db, dc, n);
    cudaMemcpy(castecne.data(), dc, bloku * sizeof(double), cudaMemcpyDeviceToHost);

    double soucet = 0;
    for (double v : castecne) soucet += v;     // poslední součet na CPU
    std::printf("GPU %.6f, CPU %.6f\n", soucet, presne);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
