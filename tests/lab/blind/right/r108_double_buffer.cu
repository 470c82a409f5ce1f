// Double buffered tiles: while tile t is used, tile t+1 is loaded into the other
// buffer, so that one barrier per step is enough.
// n can be anything;  block (16,16), grid ((n+15)/16, (n+15)/16)

#define TW 16

__device__ __forceinline__ float fetch(const float *p, int r, int c, int n)
{
    return (r < n && c < n) ? p[r * n + c] : 0.0f;
}

__global__ void matmul_db(int n, const float *a, const float *b, float *c)
{
    __shared__ float sa[2][TW][TW];
    __shared__ float sb[2][TW][TW];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TW + ty, col = blockIdx.x * TW + tx;
    const int tiles = (n + TW - 1) / TW;

    int cur = 0;
    sa[0][ty][tx] = fetch(a, row, tx, n);
    sb[0][ty][tx] = fetch(b, ty, col, n);
    __syncthreads();

    float sum = 0.0f;
    for (int t = 0; t < tiles; ++t) {
        const int nxt = cur ^ 1;
        if (t + 1 < tiles) {
            sa[nxt][ty][tx] = fetch(a, row, (t + 1) * TW + tx, n);
            sb[nxt][ty][tx] = fetch(b, (t + 1) * TW + ty, col, n);
        }
        for (int k = 0; k < TW; ++k)
            sum += sa[cur][ty][k] * sb[cur][k][tx];
        __syncthreads();
        cur = nxt;
    }

    if (row < n && col < n)
        c[row * n + col] = sum;
}
