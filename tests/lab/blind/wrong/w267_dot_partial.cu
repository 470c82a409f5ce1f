/* dot product in C: each block leaves one sum, the CPU adds the sums */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NTHREADS 256

__global__ void partial_dot(const float *u, const float *v, float *part, int n)
{
    __shared__ float s[NTHREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * NTHREADS + t;
    int h;

    s[t] = i < n ? u[i] * v[i] : 0.0f;
    __syncthreads();
    for (h = NTHREADS / 2; h >= 1; h = h / 2) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) part[blockIdx.x] = s[0];
}

int main(void)
{
    int n = 123456;
    int nblocks = (n + NTHREADS - 1) / NTHREADS;
    float *u, *v, *part, *d_u, *d_v, *d_part;
    double sum = 0.0, ref = 0.0;
    int i;

    u = (float *)malloc(n * sizeof(float));
    v = (float *)malloc(n * sizeof(float));
    part = (float *)calloc(nblocks, sizeof(float));
    for (i = 0; i < n; i++) {
        u[i] = 1.0f + (i % 4);
        v[i] = 0.25f * (i % 8);
        ref += (double)u[i] * v[i];
    }

    cudaMalloc((void **)&d_u, n * sizeof(float));
    cudaMalloc((void **)&d_v, n * sizeof(float));
    cudaMalloc((void **)&d_part, nblocks * sizeof(float));
    cudaMemcpy(d_u, u, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v, n * sizeof(float), cudaMemcpyHostToDevice);

    partial_dot<<<nblocks, NTHREADS>>>(d_u, d_v, d_part, n);

    cudaMemcpy(part, d_part, nblocks, cudaMemcpyDeviceToHost);
    for (i = 0; i < nblocks; i++)
        sum += part[i];

    printf("sum = %f, should be %f\n", sum, ref);
    printf("relative error %g\n", fabs(sum - ref) / ref);

    cudaFree(d_u);
    cudaFree(d_v);
    cudaFree(d_part);
    free(u);
    free(v);
    free(part);
    return 0;
}
