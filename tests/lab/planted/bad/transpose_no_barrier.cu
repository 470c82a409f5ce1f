// Transpose of an n x m matrix through a tile in shared memory; any sizes.
// A thread reads what another one has yet to load.

#define TILE 32

extern "C" __global__ void transpose(const float* in, float* out, int n, int m)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        if (y + j < n && x < m)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * m + x];  // planted: race

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        if (y + j < m && x < n)
            out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];  // planted: race
}
