// A gather: each thread reads where its index says.
// target[i] = source[places[i]] for i < count.

extern "C" __global__ void gather(const float* source, const int* places, float* target, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) target[i] = source[places[i]];
}
