// Transposition of a rows x cols matrix of doubles, block (16, 16)
// grid (ceil(cols/16), ceil(rows/16))
#define S 16

__global__ void transposeTile(double *__restrict__ out, const double *__restrict__ in,
                              const int rows, const int cols)
{
    __shared__ double tile[S][S + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int r = blockIdx.y * S + ty;
    const int c = blockIdx.x * S + tx;

    if (r < rows && c < cols)
        tile[ty][tx] = in[r * cols + c];

    const int tr = blockIdx.x * S + ty;
    const int tc = blockIdx.y * S + tx;
    if (tr < cols && tc < rows)
        out[tr * rows + tc] = tile[tx][ty];
}

void transpose(double *out, const double *in, int rows, int cols)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    transposeTile<<<grid, dim3(S, S)>>>(out, in, rows, cols);
}
