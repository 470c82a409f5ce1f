// In-place transpose of an n x n matrix. Blocks of 16 x 16 threads, square grid
// of ceil(n / 16) x ceil(n / 16) blocks. A block above the diagonal exchanges two
// tiles, a block on the diagonal turns its own tile, the rest has nothing to do.
template <typename T>
__device__ void transpose_tiles(T *a, int n)
{
    __shared__ T upper[16][17];
    __shared__ T lower[16][17];

    if (blockIdx.x < blockIdx.y)
        return;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int ux = blockIdx.x * 16 + tx, uy = blockIdx.y * 16 + ty;
    const int lx = blockIdx.y * 16 + tx, ly = blockIdx.x * 16 + ty;

    if (ux < n && uy < n)
        upper[ty][tx] = a[uy * n + ux];
    if (lx < n && ly < n)
        lower[ty][tx] = a[ly * n + lx];
    __syncthreads();

    if (lx < n && ly < n)
        a[ly * n + lx] = upper[tx][ty];
    if (blockIdx.x != blockIdx.y && ux < n && uy < n)
        a[uy * n + ux] = lower[tx][ty];
}

extern "C" __global__ void transpose_float(float *a, int n)
{
    transpose_tiles(a, n);
}

extern "C" __global__ void transpose_int(int *a, int n)
{
    transpose_tiles(a, n);
}
