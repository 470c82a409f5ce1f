// Exclusive prefix sums within each block, Blelloch: sums up a tree, then prefixes down it; work stays linear.
// Two elements per thread; totals: the sum of each block.

#define ELEMENTS 256

extern "C" __global__ void scan_blelloch(const unsigned* values, unsigned* out, unsigned* totals, int count)
{
    __shared__ unsigned tree[ELEMENTS];

    int t = threadIdx.x;
    int first = blockIdx.x * ELEMENTS + 2 * t;
    tree[2 * t] = first < count ? values[first] : 0;
    tree[2 * t + 1] = first + 1 < count ? values[first + 1] : 0;

    int step = 1;
    for (int pairs = ELEMENTS / 2; pairs > 0; pairs /= 2, step *= 2) {
        __syncthreads();
        if (t < pairs) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) {
        totals[blockIdx.x] = tree[ELEMENTS - 1];
        tree[ELEMENTS - 1] = 0;
    }
    for (int pairs = 1; pairs < ELEMENTS; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
            unsigned sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    __syncthreads();
    if (first < count) out[first] = tree[2 * t];
    if (first + 1 < count) out[first + 1] = tree[2 * t + 1];
}
