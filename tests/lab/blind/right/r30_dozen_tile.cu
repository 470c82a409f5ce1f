// tile of 12 x 12 because my birthday is on the 12th :-)
// grid: number of 12-wide column blocks times number of 12-high row blocks (round up!)
#define D 12

__global__ void mmul(float *c, float *a, float *b, int ca, int ra, int cb)
{
    // a: ra rows, ca columns;  b: ca rows, cb columns;  c: ra rows, cb columns
    __shared__ float a_s[D * D];
    __shared__ float b_s[D * D];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = tx + D * blockIdx.x;
    int y = ty + D * blockIdx.y;
    float f = 0;
    int l = 0;
    while (l < ca)
    {
        if (y < ra && l + tx < ca) a_s[ty * D + tx] = a[y * ca + (l + tx)];
        else                       a_s[ty * D + tx] = 0;
        if (x < cb && l + ty < ca) b_s[ty * D + tx] = b[(l + ty) * cb + x];
        else                       b_s[ty * D + tx] = 0;
        __syncthreads();
        for (int q = 0; q < D; q++)
            f = f + a_s[ty * D + q] * b_s[q * D + tx];
        __syncthreads();
        l = l + D;
    }
    if (x < cb)
        if (y < ra)
            c[y * cb + x] = f;
}
