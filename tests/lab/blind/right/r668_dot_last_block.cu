// Scalar product of two float vectors in one launch.
// Vector loads of four floats; the last block to finish adds the partial sums.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define THREADS 256
#define MAX_BLOCKS 128

__device__ float partial[MAX_BLOCKS];
__device__ unsigned int finished = 0;

__device__ float block_sum(float v, float *buf)
{
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    return buf[0];
}

__global__ void dot4(const float *x, const float *y, float *out, int n)
{
    __shared__ float buf[THREADS];
    __shared__ bool is_last;

    const float4 *x4 = (const float4 *)x;
    const float4 *y4 = (const float4 *)y;
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    float v = 0.0f;

    for (int i = id; i < n / 4; i += step) {
        float4 p = x4[i], q = y4[i];
        v += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    /* at most three elements are left over */
    int rest = (n / 4) * 4 + id;
    if (rest < n) v += x[rest] * y[rest];

    float s = block_sum(v, buf);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        unsigned int ticket = atomicAdd(&finished, 1u);
        is_last = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (is_last) {
        float w = 0.0f;
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS)
            w += ((volatile float *)partial)[b];
        w = block_sum(w, buf);
        if (threadIdx.x == 0) {
            *out = w;
            finished = 0;   /* ready for the next launch */
        }
    }
}

int main(void)
{
    int n = 100003;
    size_t bytes = n * sizeof(float);
    float *hx = (float *)malloc(bytes), *hy = (float *)malloc(bytes), *x, *y, *out, h;
    for (int i = 0; i < n; i++) { hx[i] = 1.0f / (1 + i % 9); hy[i] = (float)(i % 11); }
    cudaMalloc((void **)&x, bytes);
    cudaMalloc((void **)&y, bytes);
    cudaMalloc((void **)&out, sizeof(float));
    cudaMemcpy(x, hx, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy, bytes, cudaMemcpyHostToDevice);

    int blocks = (n / 4 + THREADS - 1) / THREADS;
    if (blocks < 1) blocks = 1;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    for (int run = 0; run < 2; run++) {
        dot4<<<blocks, THREADS>>>(x, y, out, n);
        cudaMemcpy(&h, out, sizeof(float), cudaMemcpyDeviceToHost);
        printf("run %d: %f\n", run, h);
    }
    cudaFree(x); cudaFree(y); cudaFree(out);
    free(hx); free(hy);
    return 0;
}
