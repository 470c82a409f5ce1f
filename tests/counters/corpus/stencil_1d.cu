// A 1-D stencil of radius 3 values shared memory: the block loads its elements and a halo on either side.
// out[i] = sum of values[i - 3] to values[i + 3]; elements beyond the ends are 0.

#define RADIUS 3
#define BLOCK 128

extern "C" __global__ void stencil_1d(const int* values, int* out, int count)
{
    __shared__ int window[BLOCK + 2 * RADIUS];

    int i = blockIdx.x * BLOCK + threadIdx.x;
    int place = threadIdx.x + RADIUS;
    window[place] = i < count ? values[i] : 0;
    if (threadIdx.x < RADIUS) {
        int left = i - RADIUS, right = i + BLOCK;
        window[place - RADIUS] = left >= 0 ? values[left] : 0;
        window[place + BLOCK] = right < count ? values[right] : 0;
    }
    __syncthreads();

    if (i >= count) return;
    int sum = 0;
    for (int offset = -RADIUS; offset <= RADIUS; ++offset) sum += window[place + offset];
    out[i] = sum;
}
