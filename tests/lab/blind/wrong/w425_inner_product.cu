// Inner product of two vectors, two kernels.
// ./inner_product [length]      any length from 1 to 100 million
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int THREADS = 256;

__device__ double reduceBlock(double v)
{
    __shared__ double cache[THREADS];
    int t = threadIdx.x;
    cache[t] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s) cache[t] += cache[t + s];
        __syncthreads();
    }
    return cache[0];
}

__global__ void multiplyAndReduce(const double* a, const double* b, double* partial, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    double v = (i < n) ? a[i] * b[i] : 0.0;
    v = reduceBlock(v);
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

__global__ void sumPartial(const double* partial, int count, double* out)
{
    int i = threadIdx.x;
    double v = (i < count) ? partial[i] : 0.0;
    v = reduceBlock(v);
    if (threadIdx.x == 0) *out = v;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50000;
    if (n < 1 || n > 100000000) return 1;

    double *a, *b;
    cudaMallocManaged(&a, n * sizeof(double));
    cudaMallocManaged(&b, n * sizeof(double));
    double check = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i % 13;
        b[i] = i % 17;
        check += a[i] * b[i];
    }

    int blocks = (n + THREADS - 1) / THREADS;
    double *partial, *out;
    cudaMallocManaged(&partial, blocks * sizeof(double));
    cudaMallocManaged(&out, sizeof(double));

    multiplyAndReduce<<<blocks, THREADS>>>(a, b, partial, n);
    sumPartial<<<1, THREADS>>>(partial, blocks, out);
    cudaDeviceSynchronize();

    printf("n = %d  result %.1f  expected %.1f\n", n, *out, check);
    if (fabs(*out - check) > 1e-6 * check) printf("NOT EQUAL\n");

    cudaFree(a);
    cudaFree(b);
    cudaFree(partial);
    cudaFree(out);
    return 0;
}
