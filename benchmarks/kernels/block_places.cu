// A kernel turned device function, KERNEL(PARAMETERS), in a wrapper that notes for each block the SM that ran it and
// when it began and ended, in nanoseconds of the global timer. benchmarks/measure/caches/gpu_caches.py puts both together.
// places: 3 words per block.

extern "C" __global__ void block_places(unsigned long long* places, PARAMETERS)
{
    unsigned long long begin, end;
    unsigned sm;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    KERNEL(ARGUMENTS);
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        unsigned long long* place = places + 3 * (blockIdx.y * gridDim.x + blockIdx.x);
        place[0] = sm;
        place[1] = begin;
        place[2] = end;
    }
}
