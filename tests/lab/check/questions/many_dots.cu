// Dot products of many pairs of vectors, one behind the other with a gap: a block for each. Their number is none of the
// vectors' length.
struct Pairs {
    const short* x;
    const short* y;
    long long* sums;
    int length, step;
};

__global__ void dot_of_each(Pairs pairs)
{
    __shared__ long long part[64];
    long long sum = 0;
    for (int i = threadIdx.x; i < pairs.length; i += blockDim.x) {
        int product = pairs.x[(size_t)blockIdx.x * pairs.step + i] * pairs.y[(size_t)blockIdx.x * pairs.step + i];
        sum += product;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        pairs.sums[blockIdx.x] = part[0];
}

int main()
{
    const int count = 300;
    Pairs pairs;
    pairs.length = 1000;
    pairs.step = 1024;
    cudaMalloc(&pairs.x, count * pairs.step * sizeof(short));
    cudaMalloc(&pairs.y, count * pairs.step * sizeof(short));
    cudaMalloc(&pairs.sums, count * sizeof(long long));
    dot_of_each<<<count, 64>>>(pairs);
    cudaDeviceSynchronize();
}
