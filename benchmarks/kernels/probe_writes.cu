// What caches do with writes: READ_FIRST reads each place before it is written, READ_AFTER reads it once all are written.
//
// Place i is values[i * stride + lane * spread], for i = warp, warp + warps, ... below count; warps of the whole grid.
// A place is read by the warp that writes it. All of values is 0, and 0 is written.

extern "C" __global__ void probe_writes(volatile int* target, int* values, int count, int stride, int spread)
{
    int lane = threadIdx.x % 32;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int warps = gridDim.x * blockDim.x / 32;

    int sum = 0;
#ifdef READ_FIRST
    for (int i = warp; i < count; i += warps) sum += values[i * stride + lane * spread + sum];
#endif
    for (int i = warp; i < count; i += warps) values[i * stride + lane * spread] = sum;
    __syncthreads();
#ifdef READ_AFTER
    for (int i = warp; i < count; i += warps) sum += values[i * stride + lane * spread + sum];
#endif
    if (sum != 0) target[0] = sum;
}
