// Tiled dot product.
// Each block handles TILES_PER_BLOCK consecutive tiles of BLOCK elements and
// adds its contribution to *result (which the host sets to zero beforehand).
// Launch: grid = ceil(n / (BLOCK * TILES_PER_BLOCK)), block = BLOCK.
#define BLOCK 128
#define TILES_PER_BLOCK 8

__global__ void dotTiled(const float *u, const float *v, float *result, int n)
{
    __shared__ float us[BLOCK];
    __shared__ float vs[BLOCK];

    int tid = threadIdx.x;
    int base = blockIdx.x * BLOCK * TILES_PER_BLOCK;
    int tiles = TILES_PER_BLOCK;
    float partial = 0.0f;

    for (int t = 0; t < tiles - 1; t++) {
        int idx = base + t * BLOCK + tid;
        us[tid] = idx < n ? u[idx] : 0.0f;
        vs[tid] = idx < n ? v[idx] : 0.0f;
        __syncthreads();
        partial += us[tid] * vs[tid];
        __syncthreads();
    }

    us[tid] = partial;
    __syncthreads();

    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s)
            us[tid] += us[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(result, us[0]);
}
