// Dot product in ONE kernel launch: the block that finishes last adds the partial sums.
// Any n >= 1.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define THREADS 256
#define MAX_BLOCKS 128

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

__device__ unsigned int blocks_done = 0;

__device__ void tree_sum(float *s)
{
    for (int o = THREADS / 2; o > 0; o >>= 1) {
        if (threadIdx.x < o)
            s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
}

__global__ void dot_one_launch(const float *a, const float *b, volatile float *partial, float *out, int n)
{
    __shared__ float s[THREADS];
    __shared__ bool i_am_last;

    float v = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        v += a[i] * b[i];
    s[threadIdx.x] = v;
    __syncthreads();
    tree_sum(s);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();                       // partial must be visible before the counter
        // atomicInc wraps to 0 by itself after gridDim.x tickets, so we can launch again
        unsigned int ticket = atomicInc(&blocks_done, gridDim.x - 1);
        i_am_last = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (i_am_last) {                           // same for the whole block
        v = 0.0f;
        for (int i = threadIdx.x; i < gridDim.x; i += THREADS)
            v += partial[i];
        s[threadIdx.x] = v;
        __syncthreads();
        tree_sum(s);
        if (threadIdx.x == 0)
            *out = s[0];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000003;
    if (n < 1 || n > (1 << 28)) { printf("usage: dot n\n"); return 1; }
    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    double ref = 0;
    for (int i = 0; i < n; i++) {
        a[i] = (float)(i % 7) * 0.25f;
        b[i] = (float)(i % 5) - 1.0f;
        ref += (double)a[i] * b[i];
    }

    float *da, *db, *dpart, *dout;
    CHECK(cudaMalloc(&da, n * sizeof(float)));
    CHECK(cudaMalloc(&db, n * sizeof(float)));
    CHECK(cudaMalloc(&dpart, MAX_BLOCKS * sizeof(float)));
    CHECK(cudaMalloc(&dout, sizeof(float)));
    CHECK(cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice));

    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;

    for (int rep = 0; rep < 3; rep++) {
        float res = 0;
        dot_one_launch<<<blocks, THREADS>>>(da, db, dpart, dout, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&res, dout, sizeof(float), cudaMemcpyDeviceToHost));
        printf("run %d: gpu %f cpu %f  %s\n", rep, res, ref,
               fabs(res - ref) <= 1e-4 * fabs(ref) + 1e-3 ? "OK" : "DIFFERENT");
    }
    cudaFree(da); cudaFree(db); cudaFree(dpart); cudaFree(dout);
    free(a); free(b);
    return 0;
}
