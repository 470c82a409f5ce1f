#include <cuda_runtime.h>

// Inclusive running totals of many independent rows:
//   out[r][c] = in[r][0] + ... + in[r][c]
// One block per row, one thread per column (width 1 .. 1024, any number of rows).

__global__ void running_total(const float* in, float* out, int width)
{
    __shared__ float acc[1024];

    const size_t base = (size_t)blockIdx.x * width;
    const int t = threadIdx.x;

    acc[t] = in[base + t];
    __syncthreads();

    for (int off = 1; off < width; off *= 2) {
        float left = 0.0f;
        if (t >= off)
            left = acc[t - off];
        acc[t] += left;
        __syncthreads();
    }

    out[base + t] = acc[t];
}

cudaError_t running_totals(const float* d_in, float* d_out, int rows, int width)
{
    if (rows < 1 || width < 1 || width > 1024)
        return cudaErrorInvalidValue;
    running_total<<<rows, width>>>(d_in, d_out, width);
    return cudaDeviceSynchronize();
}
