// y = A * x, A row-major (rows x cols). One warp works on one row at a time.
// Launch: any number of blocks, blockDim.x a multiple of 32, e.g.
//   matvec_warp<<<80, 128>>>(A, x, y, rows, cols);

__global__ void matvec_warp(const float* __restrict__ A, const float* __restrict__ x,
                            float* __restrict__ y, int rows, int cols)
{
    const int lane  = threadIdx.x & 31;
    const int warp  = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int warps = (gridDim.x * blockDim.x) >> 5;

    for (int r = warp; r < rows; r += warps) {
        const float* a = A + (size_t)r * cols;
        float s0 = 0.f, s1 = 0.f;
        int c = lane;
        for (; c + 32 < cols; c += 64) {
            s0 += a[c] * x[c];
            s1 += a[c + 32] * x[c + 32];
        }
        if (c < cols)
            s0 += a[c] * x[c];

        s0 += s1;
        for (int o = 16; o; o >>= 1)
            s0 += __shfl_xor_sync(0xffffffff, s0, o);
        if (lane == 0)
            y[r] = s0;
    }
}
