// y = A * x, eight neighbouring lanes share a row, so a warp works on four rows.
// A: rows x cols with leading dimension lda (row-major), x: cols, y: rows
//
// launch for any rows and cols:
//   const int threads = 128;
//   int blocks = (rows * LANES + threads - 1) / threads;
//   gemv8<<<blocks, threads>>>(A, lda, x, y, rows, cols);

constexpr int LANES = 8;

__device__ __forceinline__ float groupSum(float v)
{
    for (int offset = LANES; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void gemv8(const float* __restrict__ A, int lda, const float* __restrict__ x,
                      float* __restrict__ y, int rows, int cols)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = id / LANES;
    const int lane = id % LANES;

    // threads without a row stay for the shuffles and carry a zero
    float v = 0.0f;
    if (row < rows) {
        const float* a = A + (size_t)row * lda;
        for (int c = lane; c < cols; c += LANES)
            v = fmaf(a[c], x[c], v);
    }

    v = groupSum(v);

    if (lane == 0 && row < rows)
        y[row] = v;
}
