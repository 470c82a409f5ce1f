#include <cuda_runtime.h>

#define FULL_MASK 0xffffffff
#define NUM_THREADS 512

template <typename T>
__device__ __forceinline__ T warp_reduce(T val)
{
    for (int offset = 8; offset > 0; offset >>= 1)
        val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

template <typename T>
__global__ void dot_product(const T *x, const T *y, T *out, int n)
{
    __shared__ T partial[32];
    int tid = threadIdx.x;
    int lane = tid % 32;
    int warp = tid / 32;

    if (warp == 0) partial[lane] = T(0);
    __syncthreads();

    T sum = T(0);
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        sum += x[i] * y[i];

    sum = warp_reduce(sum);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();

    if (tid == 0) {
        T total = T(0);
        for (int w = 0; w < 32; w++) total += partial[w];
        atomicAdd(out, total);
    }
}

// *d_out is set by this function
void dot(const float *d_x, const float *d_y, float *d_out, int n)
{
    int blocks = (n + NUM_THREADS - 1) / NUM_THREADS;
    if (blocks > 256) blocks = 256;
    cudaMemset(d_out, 0, sizeof(float));
    dot_product<float><<<blocks, NUM_THREADS>>>(d_x, d_y, d_out, n);
}
