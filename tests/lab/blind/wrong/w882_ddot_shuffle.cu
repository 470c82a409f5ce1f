#include <cuda_runtime.h>

__inline__ __device__ double wsum(double v)
{
    for (int o = warpSize / 2; o > 0; o /= 2)
        v += __shfl_down_sync(~0u, v, o);
    return v;
}

// BLAS-like: *out += sum x[i*incx] * y[i*incy], incx, incy > 0, blockDim.x a multiple of 32
__global__ void ddot_kernel(long n, const double* x, long incx, const double* y, long incy, double* out)
{
    __shared__ double w[32];
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;

    double v = 0.0;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        v += x[i * incx] * y[i * incy];

    v = wsum(v);
    if (lane == 0) w[wid] = v;
    __syncthreads();

    if (wid == 0) {
        v = wsum(w[lane]);
        if (lane == 0) atomicAdd(out, v);
    }
}

double ddot(long n, const double* x, long incx, const double* y, long incy, double* scratch)
{
    double h = 0.0;
    cudaMemcpy(scratch, &h, sizeof h, cudaMemcpyHostToDevice);
    ddot_kernel<<<128, 256>>>(n, x, incx, y, incy, scratch);
    cudaMemcpy(&h, scratch, sizeof h, cudaMemcpyDeviceToHost);
    return h;
}
