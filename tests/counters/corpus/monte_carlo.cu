// Pi by throwing points: a xorshift generator in registers, a warp vote per throw, one atomic addition per warp.
// hits: one counter; every thread throws `throws` points into the unit square.

extern "C" __global__ void monte_carlo(unsigned seed, int throws, unsigned* hits)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = (seed ^ thread * 2654435761u) | 1u;
    unsigned inside = 0;
    for (int i = 0; i < throws; ++i) {
        unsigned point[2];
        for (int axis = 0; axis < 2; ++axis) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            point[axis] = state >> 16;
        }
        bool hit = point[0] * point[0] / 2 + point[1] * point[1] / 2 < 0x80000000u;
        inside += __popc(__ballot_sync(0xffffffff, hit));
    }
    if (threadIdx.x % 32 == 0) atomicAdd(hits, inside);
}
