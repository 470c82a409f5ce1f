// Product followed by 2x2 sum pooling, fused in one kernel.
// A: H x L, B: L x W, out: (H/2) x (W/2). H and W are even, L is free.
//
// launch with dim3 block(16, 16), grid(ceil(W/16), ceil(H/16))

#define EDGE 16

__global__ void pooled_product(const float *A, const float *B, float *out,
                               unsigned H, unsigned L, unsigned W)
{
    __shared__ float ta[EDGE][EDGE];
    __shared__ float tb[EDGE][EDGE];
    __shared__ float prod[EDGE][EDGE + 1];

    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const unsigned gy = blockIdx.y * EDGE + y;
    const unsigned gx = blockIdx.x * EDGE + x;

    float p = 0.0f;
    for (unsigned l = 0; l < L; l += EDGE) {
        ta[y][x] = (gy < H && l + x < L) ? A[(size_t)gy * L + l + x] : 0.0f;
        tb[y][x] = (l + y < L && gx < W) ? B[(size_t)(l + y) * W + gx] : 0.0f;
        __syncthreads();
        for (unsigned q = 0; q < EDGE; ++q)
            p = fmaf(ta[y][q], tb[q][x], p);
        __syncthreads();
    }

    // the tile of the full product stays on the chip
    prod[y][x] = p;
    __syncthreads();

    // a quarter of the threads writes the pooled values
    if (x < EDGE / 2 && y < EDGE / 2) {
        const unsigned oy = blockIdx.y * (EDGE / 2) + y;
        const unsigned ox = blockIdx.x * (EDGE / 2) + x;
        if (oy < H / 2 && ox < W / 2) {
            float s = prod[2 * y][2 * x];
            s += prod[2 * y][2 * x + 1];
            s += prod[2 * y + 1][2 * x];
            s += prod[2 * y + 1][2 * x + 1];
            out[(size_t)oy * (W / 2) + ox] = s;
        }
    }
}
