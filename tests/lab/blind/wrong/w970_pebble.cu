// out must hold 0 before the launch.
// dot<<<any number of blocks, THREADS>>>(x, y, out, n)
#define THREADS 256

__global__ void dot(const float *x, const float *y, float *out, int n)
{
    __shared__ float cache[THREADS];

    float mine = 0.0f;
    int i = threadIdx.x + blockIdx.x * THREADS;
    while (i < n) {
        mine += x[i] * y[i];
        i += THREADS * gridDim.x;
    }
    cache[threadIdx.x] = mine;

    for (int s = THREADS / 2; s > 1; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s)
            cache[threadIdx.x] += cache[threadIdx.x + s];
    }

    if (threadIdx.x == 0)
        atomicAdd(out, cache[0]);
}
