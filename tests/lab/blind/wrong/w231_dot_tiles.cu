// Dot product in one block: tiles of the vectors pass through shared memory
// launch: dotTiles<<<1, 64>>>(result, x, y, n)
#define TILE 64

__global__ void dotTiles(float *result, const float *x, const float *y, int n)
{
    __shared__ float xs[TILE];
    __shared__ float ys[TILE];
    const int t = threadIdx.x;
    float sum = 0.0f;      // only used by thread 0

    for (int start = 0; start < n; start += TILE) {
        const int pos = start + t;
        xs[t] = 0.0f;
        ys[t] = 0.0f;
        if (pos <= n) {
            xs[t] = x[pos];
            ys[t] = y[pos];
        }
        __syncthreads();
        if (t == 0) {
            for (int k = 0; k < TILE; ++k)
                sum += xs[k] * ys[k];
        }
        __syncthreads();
    }
    if (t == 0)
        *result = sum;
}
