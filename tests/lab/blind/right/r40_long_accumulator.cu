// Integer product with 64 bit accumulation and 64 bit result (no overflow)
// Usage: 256 threads per block in one dimension, one thread per entry of the result,
// as many blocks as needed.

__device__ unsigned long long flat_id()
{
    return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void imatmul64(const int* x, const int* y, long long* z,
                          unsigned long long rows, unsigned long long mid, unsigned long long cols)
{
    unsigned long long id = flat_id();
    if (id < rows * cols) {
        unsigned long long r = id / cols;
        unsigned long long c = id - r * cols;    // cheaper than %
        long long sum = 0;
        for (unsigned long long k = 0; k < mid; ++k)
            sum += (long long)x[r * mid + k] * y[k * cols + c];
        z[id] = sum;
    }
}
