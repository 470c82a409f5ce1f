// Sum of a vector in two passes; the same kernel is used for both.
// Two elements are added while loading; blockDim.x has to be a power of two, n >= 1.
#include <stdio.h>
#include <stdlib.h>

__global__ void reduceSum(const double *in, double *out, unsigned int n)
{
    extern __shared__ double sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

    double mySum = (i < n) ? in[i] : 0.0;
    if (i + blockDim.x < n)
        mySum += in[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = mySum;
}

double gpuSum(const double *d_in, unsigned int n)
{
    const unsigned int threads = 128;
    unsigned int blocks = (n + threads * 2 - 1) / (threads * 2);
    double *buf[2];
    cudaMalloc((void **)&buf[0], blocks * sizeof(double));
    cudaMalloc((void **)&buf[1], blocks * sizeof(double));

    reduceSum<<<blocks, threads, threads * sizeof(double)>>>(d_in, buf[0], n);
    int cur = 0;
    while (blocks > 1) {
        unsigned int left = blocks;
        blocks = (left + threads * 2 - 1) / (threads * 2);
        reduceSum<<<blocks, threads, threads * sizeof(double)>>>(buf[cur], buf[1 - cur], left);
        cur = 1 - cur;
    }
    double r;
    cudaMemcpy(&r, buf[cur], sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(buf[0]);
    cudaFree(buf[1]);
    return r;
}

int main(int argc, char **argv)
{
    unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 123457;
    double *h = (double *)malloc(n * sizeof(double)), *d, ref = 0;
    for (unsigned int i = 0; i < n; i++) { h[i] = i % 17; ref += h[i]; }
    cudaMalloc((void **)&d, n * sizeof(double));
    cudaMemcpy(d, h, n * sizeof(double), cudaMemcpyHostToDevice);
    double s = gpuSum(d, n);
    printf("%.1f vs %.1f: %s\n", s, ref, s == ref ? "ok" : "WRONG");
    cudaFree(d);
    free(h);
    return s != ref;
}
