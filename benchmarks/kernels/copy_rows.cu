// A copy of a matrix whose rows are longer than what is copied of them, one element per thread.
// target[row * width + column] = source[row * pitch + column].

extern "C" __global__ void copy_rows(const float* source, float* target, int height, int width, int pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width) target[row * width + column] = source[row * pitch + column];
}
