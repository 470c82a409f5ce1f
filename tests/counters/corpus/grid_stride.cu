// A grid-stride loop with early returns: of blocks that are switched off, and of threads that meet a negative value.
// Each thread counts the values before its first negative one; threads of other blocks write nothing.

extern "C" __global__ void grid_stride(const unsigned char* is_on, const int* values, int* counts, int count)
{
    if (!is_on[blockIdx.x]) return;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int seen = 0;
    for (int i = first; i < count; i += gridDim.x * blockDim.x) {
        if (values[i] < 0) {
            counts[first] = seen;
            return;
        }
        ++seen;
    }
    counts[first] = seen;
}
