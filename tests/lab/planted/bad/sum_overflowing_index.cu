// Sum of n elements: each thread adds up a piece of its own, and the host adds the threads' sums.
// thread * n exceeds 32 bits before it is divided.

extern "C" __global__ void sum(const float* x, float* sums, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int first = thread * n / threads;       // cause
    int last = (thread + 1) * n / threads;  // cause

    float sum = 0;
    for (int i = first; i < last; ++i)
        sum += x[i];  // planted: out of bounds
    sums[thread] = sum;
}
