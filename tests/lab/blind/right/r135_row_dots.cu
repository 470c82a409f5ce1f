// out[r] = <X[r,:], Y[r,:]> for two matrices with `rows` rows of length `len`.
// Launch: <<<rows, T, T * sizeof(float)>>> with T a power of two (up to 1024).

extern __shared__ float buf[];

__global__ void row_dots(float* out, const float* X, const float* Y, int len)
{
    const float* x = X + (size_t)blockIdx.x * len;
    const float* y = Y + (size_t)blockIdx.x * len;

    buf[threadIdx.x] = 0.0f;
    for (int i = threadIdx.x; i < len; i += blockDim.x)
        buf[threadIdx.x] += x[i] * y[i];

    for (unsigned int active = blockDim.x >> 1; active != 0; active >>= 1) {
        __syncthreads();
        if (threadIdx.x < active)
            buf[threadIdx.x] += buf[threadIdx.x + active];
    }

    // element 0 was last written by thread 0 itself
    if (threadIdx.x == 0)
        out[blockIdx.x] = buf[0];
}
