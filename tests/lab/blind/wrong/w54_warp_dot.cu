#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

__inline__ __device__ float warpSum(float v)
{
    for (int offset = 16; offset > 1; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__global__ void dotProduct(const float *x, const float *y, float *out, int n)
{
    __shared__ float warpPart[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i] * y[i];

    v = warpSum(v);
    if (lane == 0)
        warpPart[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = (lane < blockDim.x / 32) ? warpPart[lane] : 0.0f;
        v = warpSum(v);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200000;
    float *x, *y, *out;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    double ref = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (i % 4) + 1;
        y[i] = 0.5f;
        ref += x[i] * y[i];
    }
    *out = 0.0f;

    dotProduct<<<40, 256>>>(x, y, out, n);
    cudaDeviceSynchronize();

    bool good = std::fabs(*out - ref) <= 1e-3 * ref;
    printf("dot product %s\n", good ? "is right" : "is not right");
    cudaFree(x);
    cudaFree(y);
    cudaFree(out);
    return 0;
}
