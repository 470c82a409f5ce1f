// A histogram with a private copy per block in shared memory; each block adds its copy to the global one at the end.
// Four bytes per load; bins: 256 counts.

extern "C" __global__ void histogram_shared(const uchar4* bytes, unsigned* bins, int quads)
{
    __shared__ unsigned own[256];

    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 four = bytes[i];
        atomicAdd(&own[four.x], 1u);
        atomicAdd(&own[four.y], 1u);
        atomicAdd(&own[four.z], 1u);
        atomicAdd(&own[four.w], 1u);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        if (own[bin] != 0) atomicAdd(&bins[bin], own[bin]);
}
