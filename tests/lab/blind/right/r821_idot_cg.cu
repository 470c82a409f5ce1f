/*
  Integer dot product into a 64 bit sum, with cooperative groups.

  *total must be 0 before the launch. Up to 1000000 blocks, block size a multiple
  of 32, e.g.
      idot<<<(n + 1023) / 1024, 256>>>(u, v, n, total);
  0 <= n <= 1000000000 (no launch for n == 0), |u[i]|, |v[i]| <= 90000
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void idot(const int *u, const int *v, unsigned n, long long *total)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    long long s = 0;
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        s += (long long)u[i] * v[i];

    s = cg::reduce(warp, s, cg::plus<long long>());

    // one atomic per warp, two's complement makes the unsigned add fine
    if (warp.thread_rank() == 0)
        atomicAdd((unsigned long long *)total, (unsigned long long)s);
}
