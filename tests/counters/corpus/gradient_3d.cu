// A 3-D grid of 3-D blocks: the squared gradient of a field by central differences, 0 at the border.
// field, out: depth x height x width.

extern "C" __global__ void gradient_3d(const float* field, float* out, int depth, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= depth) return;

    int plane = height * width;
    int here = z * plane + y * width + x;
    float sum = 0.0f;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1) {
        float dx = field[here + 1] - field[here - 1];
        float dy = field[here + width] - field[here - width];
        float dz = field[here + plane] - field[here - plane];
        sum = dx * dx + dy * dy + dz * dz;
    }
    out[here] = sum;
}
