#include <cuda_runtime.h>

// Scalar product of two double vectors in two stages, no atomics.
// stage 1: every block leaves one partial sum; stage 2: one block adds them up.
#define NT 128

static __device__ void fold(double *buf, int t)
{
    int live = NT;
    while (live > 1) {
        live >>= 1;
        __syncthreads();
        if (t < live)
            buf[t] += buf[t + live];
    }
}

__global__ void stage1(const double *u, const double *v, long n, double *partial)
{
    __shared__ double buf[NT];
    int t = threadIdx.x;
    double mine = 0.0;
    const long step = (long)gridDim.x * NT;
    for (long i = (long)blockIdx.x * NT + t; i < n; i += step)
        mine += u[i] * v[i];
    buf[t] = mine;
    fold(buf, t);
    if (t == 0)
        partial[blockIdx.x] = buf[0];
}

__global__ void stage2(const double *partial, int count, double *result)
{
    __shared__ double buf[NT];
    int t = threadIdx.x;
    buf[t] = 0.0;
    for (int i = t; i < count; i += NT)
        buf[t] += partial[i];
    fold(buf, t);
    if (t == 0)
        *result = buf[0];
}

double dot(const double *d_u, const double *d_v, long n)
{
    int blocks = 300;
    if ((n + NT - 1) / NT < blocks)
        blocks = (int)((n + NT - 1) / NT);
    if (blocks == 0)
        return 0.0;
    double *tmp, answer;
    cudaMalloc(&tmp, (blocks + 1) * sizeof(double));
    stage1<<<blocks, NT>>>(d_u, d_v, n, tmp);
    stage2<<<1, NT>>>(tmp, blocks, tmp + blocks);
    cudaMemcpy(&answer, tmp + blocks, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(tmp);
    return answer;
}
