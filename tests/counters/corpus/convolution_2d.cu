// 2-D convolution with a 5 x 5 filter in constant memory, which every thread of a warp reads at the same place.
// Pixels beyond the edge repeat the edge. image, out: height x width.

#define RADIUS 2
#define SIZE (2 * RADIUS + 1)

__constant__ float weights[SIZE * SIZE];

extern "C" __global__ void convolution_2d(const float* image, float* out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float sum = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            int row = min(max(y + dy, 0), height - 1);
            int column = min(max(x + dx, 0), width - 1);
            sum += weights[(dy + RADIUS) * SIZE + dx + RADIUS] * image[row * width + column];
        }
    out[y * width + x] = sum;
}
