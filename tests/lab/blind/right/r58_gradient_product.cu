// Weight gradient of a linear layer:  G = X^T * D
//   X: batch x nIn,  D: batch x nOut,  G: nIn x nOut   (row-major)
//
// Every thread computes a 2x2 block of G in registers; 16x16 threads => 32x32 tile of G.
// grid: nOut/32 in x, nIn/32 in y (rounded up).

#define TS 16
#define WPT 2
#define BT (TS * WPT)

// helper of the skeleton, not used here
__global__ void transposeNaive(const float* in, float* out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

__global__ void weightGradient(const float* __restrict__ X, const float* __restrict__ D,
                               float* __restrict__ G, int batch, int nIn, int nOut)
{
    __shared__ float sx[TS][BT];
    __shared__ float sd[TS][BT];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int rowTile = blockIdx.y * BT;
    const int colTile = blockIdx.x * BT;

    float g[WPT][WPT] = {{0.f, 0.f}, {0.f, 0.f}};

    for (int b0 = 0; b0 < batch; b0 += TS) {
        const int b = b0 + ty;
        for (int w = 0; w < WPT; ++w) {
            const int i = rowTile + tx + w * TS;
            const int o = colTile + tx + w * TS;
            sx[ty][tx + w * TS] = (b < batch && i < nIn)  ? X[b * nIn + i]  : 0.f;
            sd[ty][tx + w * TS] = (b < batch && o < nOut) ? D[b * nOut + o] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int s = 0; s < TS; ++s) {
            const float x0 = sx[s][ty * 2];
            const float x1 = sx[s][ty * 2 + 1];
            const float d0 = sd[s][tx * 2];
            const float d1 = sd[s][tx * 2 + 1];
            g[0][0] += x0 * d0;
            g[0][1] += x0 * d1;
            g[1][0] += x1 * d0;
            g[1][1] += x1 * d1;
        }
        __syncthreads();
    }

    for (int p = 0; p < WPT; ++p)
        for (int q = 0; q < WPT; ++q) {
            const int i = rowTile + ty * 2 + p;
            const int o = colTile + tx * 2 + q;
            if (i < nIn && o < nOut)
                G[i * nOut + o] = g[p][q];
        }
}
