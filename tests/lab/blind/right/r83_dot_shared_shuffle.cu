#include <cstdio>
#include <cstdlib>
#include <cmath>

constexpr int THREADS = 256;

// dot product: shared-memory tree down to one warp, then shuffles, then one atomic per block
__global__ void dotKernel(const float *x, const float *y, float *result, int n)
{
    __shared__ float cache[THREADS];
    const int tid = threadIdx.x;

    float tmp = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        tmp += x[i] * y[i];
    cache[tid] = tmp;
    __syncthreads();

    for (int s = THREADS / 2; s >= 32; s >>= 1) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }

    if (tid < 32) {
        float v = cache[tid];
        for (int off = 16; off > 0; off >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, off);
        if (tid == 0)
            atomicAdd(result, v);
    }
}

int main()
{
    const int n = 100003;
    float *hx = new float[n], *hy = new float[n];
    double expect = 0;
    for (int i = 0; i < n; i++) {
        hx[i] = (i % 10) * 0.1f;
        hy[i] = (i % 7) * 0.25f;
        expect += (double)hx[i] * hy[i];
    }
    float *dx, *dy, *dr, got = 0;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(dx, hx, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(float));
    dotKernel<<<40, THREADS>>>(dx, dy, dr, n);
    cudaMemcpy(&got, dr, sizeof(float), cudaMemcpyDeviceToHost);
    printf("gpu %f  cpu %f\n", got, expect);
    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    delete[] hx; delete[] hy;
    return fabs(got - expect) / expect < 1e-3 ? 0 : 1;
}
