// One warp per row of A (m x n), y = A x.
// Launch with blockDim.x = 32, 64, 128 or 256 and gridDim.x = ceil(m * 32 / blockDim.x).
__global__ void matvec_warps(const float *A, const float *x, float *y, int m, int n)
{
    int gid  = blockIdx.x * blockDim.x + threadIdx.x;
    int row  = gid / 32;
    int lane = gid % 32;
    float v = 0.0f;

    if (row < m) {
        for (int j = lane; j < n; j += blockDim.x)
            v += A[row * n + j] * x[j];
    }

    for (int off = 16; off > 0; off /= 2)
        v += __shfl_down_sync(0xffffffff, v, off);

    if (row < m && lane == 0)
        y[row] = v;
}
