// Dot product in a single kernel: the last block to finish adds the partial sums
// (the trick from the threadFenceReduction sample).
//
// partial must have room for gridDim.x doubles. Launch with BS threads per block.
// Nothing has to be zeroed: "finished" wraps back to 0 by itself. Do not run two
// launches at the same time in different streams, they share the counter.

#define BS 128

__device__ unsigned int finished = 0;

__device__ double blockReduce(double mine, double *s)
{
    int t = threadIdx.x;
    s[t] = mine;
    __syncthreads();
    for (int w = BS / 2; w >= 1; w /= 2) {
        if (t < w)
            s[t] += s[t + w];
        __syncthreads();
    }
    return s[0];
}

__global__ void dotOneKernel(int n, const double *x, const double *y,
                             volatile double *partial, double *out)
{
    __shared__ double s[BS];
    __shared__ bool iAmLast;

    double mine = 0.0;
    for (int i = blockIdx.x * BS + threadIdx.x; i < n; i += gridDim.x * BS)
        mine += x[i] * y[i];
    double sum = blockReduce(mine, s);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();               // the partial sum is visible before the ticket
        unsigned int ticket = atomicInc(&finished, gridDim.x - 1);
        iAmLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (iAmLast) {                     // the same answer for the whole block
        __threadfence();
        mine = 0.0;
        for (unsigned int b = threadIdx.x; b < gridDim.x; b += BS)
            mine += partial[b];
        sum = blockReduce(mine, s);
        if (threadIdx.x == 0)
            *out = sum;
    }
}
