// Dot product with a grid-stride loop and warp shuffles
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

__inline__ __device__ double warpSum(double v)
{
    for (int off = 16; off > 0; off /= 2)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

__global__ void dotKernel(const double *x, const double *y, double *blockSums, int n)
{
    __shared__ double warpSums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    double s = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        s += x[i] * y[i];

    s = warpSum(s);
    if (lane == 0)
        warpSums[warp] = s;
    __syncthreads();

    if (warp == 0) {
        s = (lane < blockDim.x / 32) ? warpSums[lane] : 0.0;
        s = warpSum(s);
        if (lane == 0)
            blockSums[blockIdx.x] = s;
    }
}

int main()
{
    const int n = 50000;
    const int threads = 256, blocks = 32;
    double *x = (double *)malloc(n * sizeof(double));
    double *y = (double *)malloc(n * sizeof(double));
    double *sums = (double *)malloc(blocks * sizeof(double));
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 / (i + 1);
        y[i] = (i % 3) + 0.5;
    }

    double *dx, *dy, *ds;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&ds, blocks * sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(double), cudaMemcpyHostToDevice);

    dotKernel<<<blocks, threads>>>(dx, dy, ds, n);
    cudaMemcpy(sums, ds, blocks * sizeof(double), cudaMemcpyDeviceToHost);

    double dot = 0.0, ref = 0.0;
    for (int b = 0; b < blocks; ++b) dot += sums[b];
    for (int i = 0; i < n; ++i) ref += x[i] * y[i];
    printf("max error: %g\n", fabs(dot - ref) < 1e-9 ? 0.0 : fabs(dot - ref));

    cudaFree(dx); cudaFree(dy); cudaFree(ds);
    free(x); free(y); free(sums);
    return 0;
}
