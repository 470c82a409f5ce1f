#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// y = A x,  A: satir x sutun (satir oncelikli).  Her satir bir warp'in isi;
// warp'lar izgara boyunca atlayarak butun satirlari dolasir.
__global__ void matVek(const float *A, const float *x, float *y, int satir, int sutun)
{
    auto blok = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(blok);

    int ilk  = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    int adim = gridDim.x * warp.meta_group_size();

    for (int i = ilk; i < satir; i += adim) {
        const float *a = A + (size_t)i * sutun;
        float t = 0.0f;
        for (int j = warp.thread_rank(); j < sutun; j += 32)
            t += a[j] * x[j];
        for (int d = warp.size() / 2; d > 0; d >>= 1)
            t += warp.shfl_down(t, d);
        if (warp.thread_rank() == 0)
            y[i] = t;
    }
}

// blok boyu 32'nin kati
void calistir(const float *A, const float *x, float *y, int satir, int sutun)
{
    matVek<<<4, 96>>>(A, x, y, satir, sutun);
}
