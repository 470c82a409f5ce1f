// A histogram of bytes with one atomic addition in global memory per byte.
// bins: 256 counts.

extern "C" __global__ void histogram_global(const unsigned char* bytes, unsigned* bins, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&bins[bytes[i]], 1u);
}
