// Scalar product of two vectors of doubles.
// launch: any number of blocks, blockDim.x = 256; *sum must be 0 before.
#include <cuda_runtime.h>

const int N_THREADS = 256;

__global__ void scalarProduct(const double *u, const double *v, double *sum, int n)
{
    __shared__ double acc[N_THREADS];
    int me = threadIdx.x;
    int pos = blockIdx.x * blockDim.x + me;

    double local = 0.0;
    while (pos < n) {
        local += u[pos] * v[pos];
        pos += blockDim.x * gridDim.x;
    }
    acc[me] = local;
    __syncthreads();

    int active = N_THREADS / 2;
    while (active != 0) {
        if (me < active) {
            acc[me] += acc[me + active];
            __syncthreads();
        }
        active /= 2;
    }

    if (me == 0)
        atomicAdd(sum, acc[0]);
}

// u, v and sum are device pointers
void scalar_product(const double *u, const double *v, double *sum, int n)
{
    int blocks = (n + N_THREADS - 1) / N_THREADS;
    if (blocks > 512) blocks = 512;
    if (blocks < 1) blocks = 1;
    cudaMemset(sum, 0, sizeof(double));
    scalarProduct<<<blocks, N_THREADS>>>(u, v, sum, n);
}
