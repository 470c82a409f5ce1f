// Softmax of each row, a block per row: the largest value, then the sum of exponentials, then the quotients.
// scores, out: gridDim.x x columns.

__device__ float block_reduce(float value, bool largest, float* shared)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, offset);
        value = largest ? fmaxf(value, other) : value + other;
    }
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    float result = shared[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp)
        result = largest ? fmaxf(result, shared[warp]) : result + shared[warp];
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax(const float* scores, float* out, int columns)
{
    __shared__ float shared[32];

    const float* row = scores + blockIdx.x * columns;
    float largest = -3.402823466e38f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, row[i]);
    largest = block_reduce(largest, true, shared);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - largest);
    sum = block_reduce(sum, false, shared);

    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
}
