// A histogram with one atomic addition per warp and key: lanes with the same key find each other by __match_any_sync,
// and the lowest of them adds for all.

extern "C" __global__ void aggregate_match_any(const int* keys, int* counts, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = i < count;
    unsigned taking_part = __ballot_sync(0xffffffff, mine);
    if (!mine) return;

    int key = keys[i];
    unsigned same = __match_any_sync(taking_part, key);
    int leader = __ffs(same) - 1;
    if (threadIdx.x % 32 == leader) atomicAdd(&counts[key], __popc(same));
}
