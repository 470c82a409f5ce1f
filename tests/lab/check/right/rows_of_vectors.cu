// y = A x; A is rows x 4*cols4, one warp per row
__global__ void mv(const float4* A, const float4* x, float* y, int rows, int cols4)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int j = lane; j < cols4; j += 32) {
        float4 a = A[(size_t)row * cols4 + j], b = x[j];
        s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
    if (lane == 0) y[row] = s;
}
