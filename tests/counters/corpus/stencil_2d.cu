// One step of heat flow, a 5-point stencil on 16 x 16 tiles with their halo in shared memory.
// The border of the plate keeps its temperature. old, next: height x width.

#define TILE 16

extern "C" __global__ void stencil_2d(const float* old, float* next, int height, int width, float rate)
{
    __shared__ float tile[TILE + 2][TILE + 2];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    bool inside = x < width && y < height;
    if (inside) {
        tile[ty][tx] = old[y * width + x];
        if (threadIdx.x == 0 && x > 0) tile[ty][0] = old[y * width + x - 1];
        if (threadIdx.x == TILE - 1 && x + 1 < width) tile[ty][TILE + 1] = old[y * width + x + 1];
        if (threadIdx.y == 0 && y > 0) tile[0][tx] = old[(y - 1) * width + x];
        if (threadIdx.y == TILE - 1 && y + 1 < height) tile[TILE + 1][tx] = old[(y + 1) * width + x];
    }
    __syncthreads();

    if (!inside) return;
    float here = tile[ty][tx];
    if (x > 0 && x + 1 < width && y > 0 && y + 1 < height) {
        float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
        here += rate * (around - 4.0f * here);
    }
    next[y * width + x] = here;
}
