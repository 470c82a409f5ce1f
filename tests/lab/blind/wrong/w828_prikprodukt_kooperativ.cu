// Prikprodukt med cooperative groups: først warp, så blok, så hele gitteret.
// n fra 1 til 1e9. Antal tråde i blokken: et multiplum af 32.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void prik(const float* __restrict__ x, const float* __restrict__ y, double* ud, int n)
{
    __shared__ double blokSum;
    const auto blok = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(blok);

    if (blok.thread_rank() == 0) blokSum = 0.0;
    blok.sync();

    double v = 0.0;
    const int skridt = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += skridt)
        v += double(x[i]) * y[i];

    v = cg::reduce(warp, v, cg::plus<double>());
    if (warp.thread_rank() == 0)
        blokSum += v;
    blok.sync();

    if (blok.thread_rank() == 0)
        atomicAdd(ud, blokSum);
}

int main()
{
    const int n = 1234567, traade = 512, blokke = 128;
    float *x, *y;
    double* ud;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&ud, sizeof(double));
    double facit = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = i % 10;
        y[i] = 1.0f - i % 2;
        facit += double(x[i]) * y[i];
    }
    *ud = 0.0;

    prik<<<blokke, traade>>>(x, y, ud, n);
    const cudaError_t fejl = cudaDeviceSynchronize();
    if (fejl != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(fejl));
        return 1;
    }
    std::printf("%.1f, facit %.1f\n", *ud, facit);
    cudaFree(x); cudaFree(y); cudaFree(ud);
    return 0;
}
