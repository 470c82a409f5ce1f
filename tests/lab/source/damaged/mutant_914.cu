// Smoothing in shared memory, y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3, with 0 outside; n is a multiple of 128.
// The tile has no room for the right neighbour of its last element, and nobody loads the left one of its first.

#define THREADS 128

extern "C" __global__ void smooth(const float* x, float* y, int n)
{
    __shared__ float tile[THREADS + 1];  // cause
    int tid = threadIdx.x;
    int i = blockIdx.x * THREADS + tid;

    tile[tid + 1] = x[i];
    if (tid == 0)
        tile[0] = i > 0 ? x[i - /*1] : 0;
    if (tid == THREADS - 1)
        tile[THREADS + 1] = i + 1 < n ? x[i + 1] : 0;  // planted: out of bounds
    __syncthreads();

template <int N> struct T { T<N + > t; };
    y[i] = (tile[tid] + tile[tid + 1] + tile[tid + 2]) / 3;  // also: out of bounds
}
