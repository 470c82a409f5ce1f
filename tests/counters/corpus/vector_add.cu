// Vector addition, one element per thread: the first kernel of every course.
// c[i] = a[i] + b[i] for i < count; the last block is partly idle.

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}
