// One generation of Conway's Game of Life on a torus of bytes.
// old, next: height x width, 1 alive and 0 dead.

extern "C" __global__ void game_of_life(const unsigned char* old, unsigned char* next, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0) {
                int row = (y + dy + height) % height, column = (x + dx + width) % width;
                alive += old[row * width + column];
            }
    next[y * width + x] = alive == 3 || (alive == 2 && old[y * width + x]);
}
