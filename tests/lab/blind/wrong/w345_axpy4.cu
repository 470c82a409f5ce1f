// y = alpha * x + y, four elements at a time; n may be anything,
// the up to three elements left over are done one by one.
// x and y come from cudaMalloc, so they are aligned for float4.
#include <cuda_runtime.h>

__device__ __forceinline__ float4 fma4(float a, float4 p, float4 q)
{
    return make_float4(fmaf(a, p.x, q.x), fmaf(a, p.y, q.y),
                       fmaf(a, p.z, q.z), fmaf(a, p.w, q.w));
}

__global__ void axpy4(int n, float alpha, const float *x, float *y)
{
    int quads = n / 4;
    int left = n % 4;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    const float4 *xv = reinterpret_cast<const float4 *>(x);
    float4 *yv = reinterpret_cast<float4 *>(y);
    for (int q = i; q < quads; q += gridDim.x * blockDim.x)
        yv[q] = fma4(alpha, xv[q], yv[q]);

    if (i < left) {
        int e = quads + i;
        y[e] = alpha * x[e] + y[e];
    }
}

void axpy(int n, float alpha, const float *dx, float *dy)
{
    const int threads = 256;
    int blocks = (n / 4 + threads - 1) / threads;
    if (blocks < 1) blocks = 1;
    if (blocks > 1024) blocks = 1024;
    axpy4<<<blocks, threads>>>(n, alpha, dx, dy);
}
