// The Mandelbrot set: a loop whose length differs from pixel to pixel, so that warps wait for their slowest lane.
// steps: height x width, how many steps each point stays within radius 2, at most limit.

extern "C" __global__ void mandelbrot(
    int* steps, int height, int width, float left, float top, float spacing, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float c_real = fmaf(x, spacing, left), c_imaginary = fmaf(-y, spacing, top);
    float real = 0.0f, imaginary = 0.0f;
    int step = 0;
    while (step < limit && fmaf(real, real, imaginary * imaginary) <= 4.0f) {
        float next = fmaf(real, real, fmaf(-imaginary, imaginary, c_real));
        imaginary = fmaf(2.0f * real, imaginary, c_imaginary);
        real = next;
        ++step;
    }
    steps[y * width + x] = step;
}
