// A 7-point stencil without shared memory: a thread walks down a column of the grid, its neighbors' reads hit a cache.
// Sizes depth x height x width; the border is not written.

extern "C" __global__ void stencil_3d(const float* old, float* next, int depth, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;

    int plane = height * width;
    for (int z = 1; z < depth - 1; ++z) {
        int here = z * plane + y * width + x;
        next[here] = 0.5f * old[here] + 0.125f * (old[here - 1] + old[here + 1])
            + 0.0625f * (old[here - width] + old[here + width] + old[here - plane] + old[here + plane]);
    }
}
