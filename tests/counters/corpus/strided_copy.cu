// A copy that reads every stride-th element: the further apart, the more sectors for the same bytes.
// target[i] = source[i * stride] for i < count.

extern "C" __global__ void strided_copy(
    const double* __restrict__ source, double* __restrict__ target, int count, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) target[i] = source[(size_t)i * stride];
}
