// Maximum of a float vector (no NaNs), grid-stride + warp shuffles + CAS at the end
#include <cstdio>
#include <cstdlib>
#include <math.h>
#include <cuda_runtime.h>

__device__ void atomicMaxFloat(float *addr, float val)
{
    int *p = (int *)addr;
    int old = *p;
    while (val > __int_as_float(old)) {
        int seen = old;
        old = atomicCAS(p, seen, __float_as_int(val));
        if (old == seen)
            break;
    }
}

// *result has to be -INFINITY before the launch; blockDim.x a multiple of 32
__global__ void maxKernel(const float *v, int n, float *result)
{
    __shared__ float warpMax[32];
    float best = -INFINITY;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        best = fmaxf(best, v[i]);

    for (int d = 16; d > 0; d >>= 1)
        best = fmaxf(best, __shfl_xor_sync(0xffffffff, best, d));

    if (threadIdx.x % 32 == 0)
        warpMax[threadIdx.x / 32] = best;
    __syncthreads();

    // few warps, so thread 0 just loops over them
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            best = fmaxf(best, warpMax[w]);
        atomicMaxFloat(result, best);
    }
}

int main()
{
    const int n = 77777;
    float *v = (float *)malloc(n * sizeof(float));
    for (int shift = 0; shift < 2; shift++) {
        // second round: only negative numbers
        for (int i = 0; i < n; i++)
            v[i] = (float)(rand() % 100000) - (shift ? 200000.0f : 50000.0f);
        float ref = v[0];
        for (int i = 1; i < n; i++) if (v[i] > ref) ref = v[i];

        float *dv, *dr, res = -INFINITY;
        cudaMalloc(&dv, n * sizeof(float));
        cudaMalloc(&dr, sizeof(float));
        cudaMemcpy(dv, v, n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(dr, &res, sizeof(float), cudaMemcpyHostToDevice);
        maxKernel<<<30, 192>>>(dv, n, dr);
        cudaMemcpy(&res, dr, sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(dv); cudaFree(dr);
        printf("gpu %f cpu %f\n", res, ref);
        if (res != ref) { free(v); return 1; }
    }
    free(v);
    return 0;
}
