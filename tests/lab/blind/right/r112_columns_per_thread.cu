typedef unsigned int uint32;

enum { S = 8, COLS = 4 };     // 8x8 threads, every thread computes 4 columns

/* P (h x w) = X (h x d) * Y (d x w), any h, w, d
   grid.x = number of 8-row strips, grid.y = number of 32-column strips
   (rows run along x here, on purpose) */
__global__ void colCoarse(uint32 h, uint32 w, uint32 d, const float *X, const float *Y, float *P)
{
    __shared__ float xs[S][S];
    __shared__ float ys[S][S * COLS];

    const uint32 r = threadIdx.y, q = threadIdx.x;
    const uint32 row = blockIdx.x * S + r;
    const uint32 col0 = blockIdx.y * (S * COLS) + q;

    float p0 = 0, p1 = 0, p2 = 0, p3 = 0;

    for (uint32 k = 0; k < d; k += S) {
        xs[r][q] = (row < h && k + q < d) ? X[row * d + k + q] : 0.0f;
        for (uint32 c = 0; c < COLS; ++c) {
            uint32 col = col0 + c * S;
            ys[r][q + c * S] = (k + r < d && col < w) ? Y[(k + r) * w + col] : 0.0f;
        }
        __syncthreads();

        for (uint32 e = 0; e < S; ++e) {
            float x = xs[r][e];
            p0 += x * ys[e][q];
            p1 += x * ys[e][q + S];
            p2 += x * ys[e][q + 2 * S];
            p3 += x * ys[e][q + 3 * S];
        }
        __syncthreads();
    }

    if (row < h) {
        float *out = P + row * w;
        if (col0 < w)         out[col0] = p0;
        if (col0 + S < w)     out[col0 + S] = p1;
        if (col0 + 2 * S < w) out[col0 + 2 * S] = p2;
        if (col0 + 3 * S < w) out[col0 + 3 * S] = p3;
    }
}
