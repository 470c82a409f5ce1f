#include <cuda_runtime.h>

// y = A x, one warp per row

typedef struct {
    int    rows;
    int    cols;
    int    pitch;      // elements from one row to the next, >= cols
    float *data;       // device pointer
} Matrix;

typedef struct {
    int    len;
    float *data;
} Vector;

enum { WARPS = 4 };

__global__ void matvec(Matrix a, Vector x, Vector y)
{
    int lane = threadIdx.x;                         // block is 32 x WARPS
    int row  = blockIdx.x * WARPS + threadIdx.y;
    if (row >= a.rows)
        return;                                     // a whole warp leaves, no barrier below

    const float *r = a.data + (size_t)row * a.pitch;
    float s = 0.0f;
    for (int c = lane; c < a.cols; c += 32)
        s = fmaf(r[c], x.data[c], s);

    for (int o = 16; o; o >>= 1)
        s += __shfl_xor_sync(0xffffffff, s, o);

    if (lane == 0)
        y.data[row] = s;
}

int multiply(Matrix a, Vector x, Vector y)
{
    if (a.cols != x.len || a.rows != y.len || a.pitch < a.cols || a.rows < 1)
        return 1;
    dim3 block(32, WARPS);
    matvec<<<(a.rows + WARPS - 1) / WARPS, block>>>(a, x, y);
    return cudaGetLastError() == cudaSuccess ? 0 : 2;
}
