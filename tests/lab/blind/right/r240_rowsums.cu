// out[r] = sum of row r of the matrix (rows x cols, row major)
// block (16, 16), grid ceil(rows / 16) blocks in one dimension
#define SIDE 16

__global__ void rowSums(float *out, const float *mat, int rows, int cols)
{
    __shared__ float part[SIDE][SIDE + 1];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int r = blockIdx.x * SIDE + ty;

    float mine = 0.0f;
    if (r < rows)
        for (int c = tx; c < cols; c += SIDE)
            mine += mat[r * cols + c];

    part[ty][tx] = mine;
    __syncthreads();

    // now one thread per row adds the sixteen partial sums
    if (ty == 0) {
        const int outRow = blockIdx.x * SIDE + tx;
        if (outRow < rows) {
            float total = 0.0f;
            for (int i = 0; i < SIDE; ++i)
                total += part[tx][i];
            out[outRow] = total;
        }
    }
}
