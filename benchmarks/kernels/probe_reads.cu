// What caches do with reads in a known order: every warp reads its places, `passes` times over.
//
// Place i is source[i * stride + lane * spread], for i = warp, warp + warps, ... below count; warps of the whole grid.
// With CHAIN a read waits for the one before (all of source is 0), so a warp has one request under way.
// With TOGETHER every warp reads all places, those of an SM at about the same time.
// target is never written: it keeps the compiler from dropping the reads.

extern "C" __global__ void probe_reads(const int* source, int* target, int count, int stride, int spread, int passes)
{
    int lane = threadIdx.x % 32;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int warps = gridDim.x * blockDim.x / 32;
#ifdef TOGETHER
    warp = 0;
    warps = 1;
#endif

    int sum = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (int i = warp; i < count; i += warps) {
#ifdef CHAIN
            sum += source[i * stride + lane * spread + sum];
#else
            sum += source[i * stride + lane * spread];
#endif
        }
    if (sum != 0) target[0] = sum;
}
