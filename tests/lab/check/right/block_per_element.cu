// A block for each element of C, summed by a tree.
#define THREADS 128

__global__ void mm_block(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float part[THREADS];
    int row = blockIdx.y, col = blockIdx.x, t = threadIdx.x;
    float s = 0.f;
    for (int i = t; i < k; i += THREADS) s += a[row * k + i] * b[i * n + col];
    part[t] = s;
    __syncthreads();
    for (int w = THREADS / 2; w > 0; w /= 2) {
        if (t < w) part[t] += part[t + w];
        __syncthreads();
    }
    if (t == 0) c[row * n + col] = part[0];
}
