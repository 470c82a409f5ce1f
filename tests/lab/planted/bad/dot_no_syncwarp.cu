// Dot product with one warp per block: the lanes add up their products in shared memory.
// Lanes of a warp need not run in step since Volta: the steps of the tree must wait for each other.

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ volatile float tile[32];
    int lane = threadIdx.x;

    float sum = 0;
    for (int i = blockIdx.x * 32 + lane; i < n; i += gridDim.x * 32)
        sum += a[i] * b[i];
    tile[lane] = sum;
    __syncwarp();

    for (int stride = 16; stride > 0; stride /= 2) {
        if (lane < stride)
            tile[lane] += tile[lane + stride];  // planted: race
    }
    if (lane == 0)
        sums[blockIdx.x] = tile[0];
}
