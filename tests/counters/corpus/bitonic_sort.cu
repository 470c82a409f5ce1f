// Each block sorts 512 values in shared memory by a bitonic network; one comparison per thread and step.

#define VALUES 512

extern "C" __global__ void bitonic_sort(unsigned* values)
{
    __shared__ unsigned keys[VALUES];

    unsigned* own = values + blockIdx.x * VALUES;
    unsigned t = threadIdx.x;
    keys[t] = own[t];
    keys[t + VALUES / 2] = own[t + VALUES / 2];
    __syncthreads();

    for (unsigned size = 2; size <= VALUES; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned low = 2 * stride * (t / stride) + t % stride;
            bool ascending = (low & size) == 0;
            unsigned a = keys[low], b = keys[low + stride];
            if ((a > b) == ascending) {
                keys[low] = b;
                keys[low + stride] = a;
            }
            __syncthreads();
        }
    own[t] = keys[t];
    own[t + VALUES / 2] = keys[t + VALUES / 2];
}
