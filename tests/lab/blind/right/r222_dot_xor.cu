#include <cstdio>
#include <cuda_runtime.h>

// butterfly reduction: afterwards all lanes know the sum of the warp
__device__ double butterfly(double v)
{
    for (int mask = 1; mask < 32; mask <<= 1)
        v += __shfl_xor_sync(0xFFFFFFFF, v, mask);
    return v;
}

__global__ void dotXor(int n, const double *a, const double *b, double *out)
{
    const int gid = blockIdx.x * blockDim.x + threadIdx.x;
    double v = 0.0;
    if (gid < n)
        v = a[gid] * b[gid];

    v = butterfly(v);

    if (threadIdx.x % 32 == 31)
        atomicAdd(out, v);
}

int main()
{
    int n = 5000;
    double *a, *b, *out;
    cudaMallocManaged(&a, n * sizeof(double));
    cudaMallocManaged(&b, n * sizeof(double));
    cudaMallocManaged(&out, sizeof(double));
    for (int i = 0; i < n; i++) { a[i] = i; b[i] = 1.0; }
    *out = 0.0;
    dotXor<<<(n + 127) / 128, 128>>>(n, a, b, out);
    cudaDeviceSynchronize();
    printf("%.1f, expected %.1f\n", *out, n * (n - 1.0) / 2);
    return 0;
}
