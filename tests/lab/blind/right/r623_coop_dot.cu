// Single-launch dot product using a cooperative grid.
// Build: nvcc -std=c++17 -arch=sm_80 r623_coop_dot.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <algorithm>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t err = (call);                                               \
        if (err != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,              \
                         cudaGetErrorString(err));                              \
            std::exit(1);                                                       \
        }                                                                       \
    } while (0)

// Valid in thread 0 of the block only.
__device__ double block_total(cg::thread_block block, double v, double* scratch)
{
    auto warp = cg::tiled_partition<32>(block);
    v = cg::reduce(warp, v, cg::plus<double>());
    if (warp.thread_rank() == 0)
        scratch[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? scratch[warp.thread_rank()] : 0.0;
        v = cg::reduce(warp, v, cg::plus<double>());
    }
    return v;
}

__global__ void dot_kernel(const float* x, const float* y, unsigned long long n,
                           double* partial, double* result)
{
    __shared__ double scratch[32];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();

    double acc = 0.0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        acc += static_cast<double>(x[i]) * y[i];

    acc = block_total(block, acc, scratch);
    if (block.thread_rank() == 0)
        partial[blockIdx.x] = acc;

    grid.sync();

    if (blockIdx.x == 0) {
        acc = 0.0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            acc += partial[i];
        acc = block_total(block, acc, scratch);
        if (block.thread_rank() == 0)
            *result = acc;
    }
}

int main(int argc, char** argv)
{
    unsigned long long n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1234567ULL;
    if (n == 0) n = 1;

    int device = 0, coop = 0, sms = 0, perSm = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, device));
    if (!coop) {
        std::puts("cooperative launch not supported");
        return 0;
    }
    const int threads = 256;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, dot_kernel, threads, 0));
    const int blocks = sms * std::min(perSm, 4);

    std::vector<float> hx(n), hy(n);
    double want = 0.0, scale = 0.0;
    for (unsigned long long i = 0; i < n; ++i) {
        hx[i] = std::sin(0.001f * static_cast<float>(i % 5000));
        hy[i] = 1.0f + static_cast<float>(i % 3);
        want += static_cast<double>(hx[i]) * hy[i];
        scale += std::fabs(static_cast<double>(hx[i]) * hy[i]);
    }

    float *dx, *dy;
    double *dpart, *dres, got = 0.0;
    CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CHECK(cudaMalloc(&dy, n * sizeof(float)));
    CHECK(cudaMalloc(&dpart, blocks * sizeof(double)));
    CHECK(cudaMalloc(&dres, sizeof(double)));
    CHECK(cudaMemcpy(dx, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    void* args[] = {&dx, &dy, &n, &dpart, &dres};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(dot_kernel), dim3(blocks), dim3(threads), args, 0, 0));
    CHECK(cudaMemcpy(&got, dres, sizeof(double), cudaMemcpyDeviceToHost));

    std::printf("got %.12g want %.12g\n", got, want);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaFree(dpart));
    CHECK(cudaFree(dres));
    return std::fabs(got - want) <= 1e-9 * (scale + 1.0) ? 0 : 1;
}
