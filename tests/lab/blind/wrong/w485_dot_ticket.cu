// Dot product in a single kernel: the last block to finish adds the partial sums.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOCKS 64
#define THREADS 256

__device__ unsigned int finished = 0;

__device__ float tree(float v)
{
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    __syncthreads();
    s[t] = v;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h /= 2) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    return s[0];
}

__global__ void dot(const float *x, const float *y, int n,
                    volatile float *partial, float *out)
{
    __shared__ bool last;
    float v = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        v += x[i] * y[i];

    float total = tree(v);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = total;
        __threadfence();
        unsigned int place = atomicAdd(&finished, 1u);
        last = (place == gridDim.x - 1);
        __threadfence();
    }
    __syncthreads();

    if (last) {
        v = 0.0f;
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS)
            v += partial[b];
        total = tree(v);
        if (threadIdx.x == 0)
            *out = total;
    }
}

int main()
{
    const int n = 100003;
    float *x, *y, *partial, *out;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    cudaMalloc(&partial, BLOCKS * sizeof(float));

    int failures = 0;
    for (int round = 1; round <= 3; ++round) {
        double ref = 0.0;
        for (int i = 0; i < n; ++i) {
            x[i] = (float)((i + round) % 17) * 0.25f;
            y[i] = (float)((i * round) % 5) * 0.5f * round;
            ref += (double)x[i] * y[i];
        }
        dot<<<BLOCKS, THREADS>>>(x, y, n, partial, out);
        cudaDeviceSynchronize();
        double err = fabs(*out - ref) / ref;
        printf("round %d: %f (expected %f)\n", round, *out, ref);
        if (err > 1e-4) ++failures;
    }
    cudaFree(x); cudaFree(y); cudaFree(out); cudaFree(partial);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
