#include <cuda_runtime.h>

/*
  Histogram of float samples on [lo, hi) with nbins equal bins.
  Samples outside of the range (and NaNs) are not counted.
  Fewer than 2^32 samples; lo, hi and hi - lo are ordinary finite numbers.

  Each block counts in its own copy in shared memory first
  (nbins * 4 bytes of dynamic shared memory, nbins <= 8192),
  then adds its counts to the global histogram.
*/
__global__ void hist_kernel(const float* data, long n, float lo, float hi,
                            unsigned int* hist, int nbins)
{
    extern __shared__ unsigned int local[];

    for (int b = threadIdx.x; b < nbins; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    const float scale = nbins / (hi - lo);
    long step = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float v = data[i];
        if (v >= lo && v < hi) {
            int b = (int)((v - lo) * scale);
            if (b >= nbins) b = nbins - 1;      // rounding just below hi
            atomicAdd(&local[b], 1u);
        }
    }
    __syncthreads();

    for (int b = threadIdx.x; b < nbins; b += blockDim.x)
        if (local[b] > 0)
            atomicAdd(&hist[b], local[b]);
}

// d_hist has nbins entries on the device; returns false if the arguments are no good
bool histogram(const float* d_data, long n, float lo, float hi,
               unsigned int* d_hist, int nbins)
{
    if (nbins < 1 || nbins > 8192 || !(lo < hi) || n < 0)
        return false;
    if (cudaMemset(d_hist, 0, nbins * sizeof(unsigned int)) != cudaSuccess)
        return false;
    hist_kernel<<<64, 256, nbins * sizeof(unsigned int)>>>(d_data, n, lo, hi, d_hist, nbins);
    return cudaDeviceSynchronize() == cudaSuccess;
}
