// Dot product by one block; the result goes to out[0].
// blockDim.x may be any multiple of 32 up to MAXT, n may be anything.
//     dot_block<<<1, 192>>>(a, b, n, out);

constexpr int MAXT = 1024;

__global__ void dot_block(const double* a, const double* b, int n, double* out)
{
    __shared__ double acc[MAXT];
    unsigned t = threadIdx.x;

    double own = 0.0;
    for (int i = t; i < n; i += blockDim.x)
        own = fma(a[i], b[i], own);
    acc[t] = own;
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            acc[t] += acc[t + s];
        __syncthreads();
    }

    if (t == 0)
        out[0] = acc[0];
}
