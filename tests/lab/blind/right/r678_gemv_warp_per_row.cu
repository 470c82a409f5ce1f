// y = A*x, one warp per row.  Row-major A with pitch lda (in elements, lda >= ncol).
//
// Launch:  block = dim3(32, W) with any W from 1 to 32,
//          grid  = (nrow + W - 1) / W   (1-D)
// nrow and ncol are arbitrary (>= 1).

__inline__ __device__ float warpsum(float v)
{
    v += __shfl_down_sync(0xffffffffu, v, 16);
    v += __shfl_down_sync(0xffffffffu, v, 8);
    v += __shfl_down_sync(0xffffffffu, v, 4);
    v += __shfl_down_sync(0xffffffffu, v, 2);
    v += __shfl_down_sync(0xffffffffu, v, 1);
    return v;
}

extern "C" __global__
void gemv_warp(const float* __restrict__ a, int lda,
               const float* __restrict__ x, float* __restrict__ y,
               int nrow, int ncol)
{
    const int lane = threadIdx.x;
    const int irow = blockIdx.x * blockDim.y + threadIdx.y;

    if (irow >= nrow) return;          // a whole warp leaves, nobody waits for it

    const float* arow = a + (size_t)irow * lda;
    float acc = 0.0f;
    for (int j = lane; j < ncol; j += 32)
        acc = fmaf(arow[j], x[j], acc);

    acc = warpsum(acc);
    if (lane == 0)
        y[irow] = acc;
}
