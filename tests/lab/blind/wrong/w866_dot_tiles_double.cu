#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// out must hold 0 on entry; any n, any grid size; blockDim.x == BLK.
template <unsigned BLK>
__global__ void ddot(const double* __restrict__ x, int incx,
                     const double* __restrict__ y, int incy,
                     long long n, double* out)
{
    static_assert(BLK >= 64 && BLK <= 1024 && BLK % 32 == 0, "block size");
    __shared__ double warp_sum[BLK / 64];

    auto cta  = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(cta);

    double acc = 0.0;
    const long long step = (long long)gridDim.x * BLK;
    for (long long i = (long long)blockIdx.x * BLK + threadIdx.x; i < n; i += step)
        acc = fma(x[i * incx], y[i * incy], acc);

    acc = cg::reduce(warp, acc, cg::plus<double>());
    if (warp.thread_rank() == 0)
        warp_sum[warp.meta_group_rank()] = acc;
    cta.sync();

    if (warp.meta_group_rank() == 0) {
        double v = warp.thread_rank() < warp.meta_group_size() ? warp_sum[warp.thread_rank()] : 0.0;
        v = cg::reduce(warp, v, cg::plus<double>());
        if (warp.thread_rank() == 0)
            atomicAdd(out, v);
    }
}

double ddot_device(const double* x, int incx, const double* y, int incy, long long n, cudaStream_t s)
{
    double *d, h = 0.0;
    cudaMallocAsync(&d, sizeof(double), s);
    cudaMemsetAsync(d, 0, sizeof(double), s);
    ddot<512><<<120, 512, 0, s>>>(x, incx, y, incy, n, d);
    cudaMemcpyAsync(&h, d, sizeof(double), cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(d, s);
    cudaStreamSynchronize(s);
    return h;
}
