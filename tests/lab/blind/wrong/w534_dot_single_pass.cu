/* dot product in a single pass: the block that finishes last adds up the partial sums */
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

#define BLOCK_SIZE 256
#define MAX_GRID   1024
#define FULL_MASK  0xffffffffu

__device__ unsigned int d_ticket = 0;
__device__ float d_partial[MAX_GRID];

__device__ __forceinline__ float warpReduce(float v)
{
    #pragma unroll
    for (int mask = 16; mask; mask >>= 1)
        v += __shfl_xor_sync(FULL_MASK, v, mask);
    return v;
}

__device__ float blockReduce(float v)
{
    __shared__ float smem[32];
    int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
    v = warpReduce(v);
    __syncthreads();               /* smem may still be in use from the previous call */
    if (lane == 0) smem[wid] = v;
    __syncthreads();
    v = (threadIdx.x < BLOCK_SIZE / 32) ? smem[lane] : 0.0f;
    if (wid == 0) v = warpReduce(v);
    return v;
}

__global__ void __launch_bounds__(BLOCK_SIZE)
dotSinglePass(const float* __restrict__ x, int incx, const float* __restrict__ y, int incy,
              int n, float* out)
{
    __shared__ bool amLast;

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE)
        sum += x[(size_t)i * incx] * y[(size_t)i * incy];
    sum = blockReduce(sum);

    if (threadIdx.x == 0) {
        d_partial[blockIdx.x] = sum;
        __threadfence();
        amLast = (atomicAdd(&d_ticket, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (amLast) {
        /* all partial sums are visible now, one per thread */
        __threadfence();
        const volatile float* p = d_partial;
        float t = (threadIdx.x < gridDim.x) ? p[threadIdx.x] : 0.0f;
        t = blockReduce(t);
        if (threadIdx.x == 0) {
            *out = t;
            d_ticket = 0;          /* ready for the next launch */
        }
    }
}

/* x and y live on the device, like cublasSdot (increments > 0) */
float deviceDot(int n, const float* x, int incx, const float* y, int incy)
{
    if (n <= 0) return 0.0f;
    if (incx <= 0 || incy <= 0) throw std::invalid_argument("increments must be positive");

    int grid = std::min((n - 1) / BLOCK_SIZE + 1, MAX_GRID);
    float* d_out;
    cudaMalloc((void**)&d_out, sizeof(float));
    dotSinglePass<<<grid, BLOCK_SIZE>>>(x, incx, y, incy, n, d_out);

    float result;
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return result;
}
