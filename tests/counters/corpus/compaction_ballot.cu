// Each block keeps its positive values, in order: a ballot gives every lane its place within the warp,
// a sum over the warps before it the rest. kept: a segment of blockDim.x per block; counts: kept per block.

extern "C" __global__ void compaction_ballot(const int* values, int* kept, int* counts, int count)
{
    __shared__ int warp_counts[32];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int value = i < count ? values[i] : 0;
    unsigned votes = __ballot_sync(0xffffffff, value > 0);
    if (lane == 0) warp_counts[warp] = __popc(votes);
    __syncthreads();

    int place = __popc(votes & ((1u << lane) - 1));
    for (int before = 0; before < warp; ++before) place += warp_counts[before];
    if (value > 0) kept[blockIdx.x * blockDim.x + place] = value;
    if (threadIdx.x == blockDim.x - 1) counts[blockIdx.x] = place + (value > 0);
}
