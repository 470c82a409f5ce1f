// Layer normalization, a warp per row, four rows per block: mean and variance by shuffles, no shared memory.
// x, out: rows x columns; gain, bias: columns.

__device__ float warp_sum(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

extern "C" __global__ void layer_norm(const float* __restrict__ x, const float* __restrict__ gain,
    const float* __restrict__ bias, float* __restrict__ out, int rows, int columns, float epsilon)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    x += row * columns;
    out += row * columns;

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 32) sum += x[i];
    float mean = warp_sum(sum) / columns;

    float squares = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 32) squares += (x[i] - mean) * (x[i] - mean);
    float scale = rsqrtf(warp_sum(squares) / columns + epsilon);

    for (int i = threadIdx.x; i < columns; i += 32) out[i] = (x[i] - mean) * scale * gain[i] + bias[i];
}
