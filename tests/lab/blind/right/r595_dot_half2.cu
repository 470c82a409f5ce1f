// dot product of two half vectors, result in float
// (products and sums are done in float, half would lose too much)
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define FULL_MASK 0xffffffff

__inline__ __device__ float warpReduceSum(float val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

// blockDim.x must be a multiple of 32 (up to 1024). *out must be zero before the launch.
__global__ void dot_half2_kernel(const __half *a, const __half *b, float *out, int n)
{
    __shared__ float warpSums[32];

    const __half2 *a2 = reinterpret_cast<const __half2 *>(a);
    const __half2 *b2 = reinterpret_cast<const __half2 *>(b);
    const int npairs = n / 2;

    float sum = 0.0f;
    const int start  = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    for (long long i = start; i < npairs; i += stride) {
        float2 fa = __half22float2(a2[i]);
        float2 fb = __half22float2(b2[i]);
        sum += fa.x * fb.x + fa.y * fb.y;
    }
    // the odd element at the end, if there is one
    if ((n & 1) && start == 0)
        sum += __half2float(a[n - 1]) * __half2float(b[n - 1]);

    sum = warpReduceSum(sum);
    const int lane = threadIdx.x % warpSize;
    const int wid  = threadIdx.x / warpSize;
    if (lane == 0)
        warpSums[wid] = sum;
    __syncthreads();

    if (wid == 0) {
        const int nwarps = blockDim.x / warpSize;
        sum = (lane < nwarps) ? warpSums[lane] : 0.0f;
        sum = warpReduceSum(sum);
        if (lane == 0)
            atomicAdd(out, sum);
    }
}

// d_a and d_b come straight from cudaMalloc
cudaError_t dot_half(const __half *d_a, const __half *d_b, int n, float *h_result)
{
    const int threads = 256;
    int blocks = (n / 2 + threads - 1) / threads;
    if (blocks < 1)   blocks = 1;
    if (blocks > 432) blocks = 432;

    float *d_out = nullptr;
    cudaError_t err = cudaMalloc(&d_out, sizeof(float));
    if (err != cudaSuccess) return err;

    err = cudaMemset(d_out, 0, sizeof(float));
    if (err == cudaSuccess) {
        dot_half2_kernel<<<blocks, threads>>>(d_a, d_b, d_out, n);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaMemcpy(h_result, d_out, sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(d_out);
    return err;
}
