// Sum of n elements: each thread adds up a piece of its own, and the host adds the threads' sums.

extern "C" __global__ void sum(const float* x, float* sums, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int first = (long long)thread * n / threads;
    int last = (long long)(thread + 1) * n / threads;

    float sum = 0;
    for (int i = first; i < last; ++i)
        sum += x[i];
    sums[thread] = sum;
}
