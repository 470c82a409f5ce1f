// A 3 x 3 median filter: a function that is not inlined sorts an array of the calling thread through a pointer.
// image, out: height x width; the border is copied.

__device__ __noinline__ void insertion_sort(int* values, int count)
{
    for (int i = 1; i < count; ++i) {
        int value = values[i], place = i;
        for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
        values[place] = value;
    }
}

extern "C" __global__ void median_noinline(const int* image, int* out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int here = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[here] = image[here];
        return;
    }
    int window[9];
    for (int i = 0; i < 9; ++i) window[i] = image[here + (i / 3 - 1) * width + i % 3 - 1];
    insertion_sort(window, 9);
    out[here] = window[4];
}
