// Lanes that part and meet again: each thread counts the Collatz steps of its own number, so both loops end for
// every lane at another time.
// starts and steps: count elements. Integers, so the result is exact.

extern "C" __global__ void divergent(const unsigned* starts, unsigned* steps, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned value = starts[i];
    unsigned taken = 0;
    while (value != 1) {
        if (value & 1) {
            value = 3 * value + 1;
            ++taken;
        }
        while (!(value & 1)) {
            value /= 2;
            ++taken;
        }
    }
    steps[i] = taken;
}
