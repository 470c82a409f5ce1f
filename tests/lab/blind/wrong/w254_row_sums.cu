// Row sums of a float matrix, one warp per row, four warps per block.
//
//   rowSums<<<(rows + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(view, out);
//
// The matrix may be padded: `pitch` is the distance between rows in elements.
#include <cuda_runtime.h>

struct MatrixView {
    const float* data;
    int rows;
    int cols;
    size_t pitch;

    __device__ float at(int r, int c) const { return data[r * pitch + c]; }
};

constexpr int WARPS = 4;

__global__ void rowSums(MatrixView mat, float* out)
{
    const int lane = threadIdx.x;
    const int r = blockIdx.x * WARPS + threadIdx.y;
    if (r >= mat.rows)
        return;                     // the whole warp leaves

    int total = 0;
    for (int c = lane; c < mat.cols; c += 32)
        total += mat.at(r, c);

    for (int delta = 16; delta > 0; delta /= 2)
        total += __shfl_xor_sync(0xffffffff, total, delta);

    if (lane == 0)
        out[r] = total;
}
