#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#ifndef THREADS
#define THREADS 96
#endif
#define BLOCKS 40

/* dot product of half vectors, float accumulation, one partial sum per block */
__global__ void half_dot(const __half *x, const __half *y, float *partial, int n)
{
    __shared__ float cache[THREADS];
    int t = threadIdx.x;
    float v = 0.0f;

    for (int i = blockIdx.x * THREADS + t; i < n; i += BLOCKS * THREADS)
        v += __half2float(x[i]) * __half2float(y[i]);
    cache[t] = v;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s)
            cache[t] += cache[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = cache[0];
}

int main(void)
{
    const int n = 25000;
    __half *x = (__half *)malloc(n * sizeof(__half));
    __half *y = (__half *)malloc(n * sizeof(__half));
    float partial[BLOCKS];
    double want = 0.0;
    for (int i = 0; i < n; i++) {
        float a = (float)(i % 13) / 8.0f, b = (float)(i % 3);
        x[i] = __float2half(a);
        y[i] = __float2half(b);
        want += (double)a * b;
    }

    __half *dx, *dy;
    float *dp;
    cudaMalloc((void **)&dx, n * sizeof(__half));
    cudaMalloc((void **)&dy, n * sizeof(__half));
    cudaMalloc((void **)&dp, sizeof(partial));
    cudaMemcpy(dx, x, n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(__half), cudaMemcpyHostToDevice);

    half_dot<<<BLOCKS, THREADS>>>(dx, dy, dp, n);
    cudaMemcpy(partial, dp, sizeof(partial), cudaMemcpyDeviceToHost);

    double got = 0.0;
    for (int b = 0; b < BLOCKS; b++)
        got += partial[b];
    printf("got %.4f, want %.4f\n", got, want);

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dp);
    free(x);
    free(y);
    return fabs(got - want) > 1e-2;
}
