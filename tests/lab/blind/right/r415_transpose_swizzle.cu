// Blog post "Transposing without padding": instead of declaring tile[32][33] we
// keep a square tile and XOR the column with the row. A row write touches the 32
// banks in permuted order, a column read does too, and not one word is wasted.
//
//   in : rows x cols, row-major          out : cols x rows, row-major
//
//   dim3 block(32, 8);
//   dim3 grid((cols + 31) / 32, (rows + 31) / 32);     // grid.y <= 65535
//   transpose_xor<float><<<grid, block>>>(in, out, rows, cols);

template <typename T>
__global__ void transpose_xor(const T* __restrict__ in, T* __restrict__ out,
                              int rows, int cols)
{
    constexpr int TILE = 32;
    __shared__ T tile[TILE][TILE];

    const int tx = threadIdx.x;
    const int r0 = blockIdx.y * TILE;
    const int c0 = blockIdx.x * TILE;

    #pragma unroll
    for (int ty = threadIdx.y; ty < TILE; ty += 8) {
        const int r = r0 + ty, c = c0 + tx;
        if (r < rows && c < cols)
            tile[ty][tx ^ ty] = in[(size_t)r * cols + c];
    }

    __syncthreads();

    #pragma unroll
    for (int ty = threadIdx.y; ty < TILE; ty += 8) {
        const int r = c0 + ty;        // row of the output
        const int c = r0 + tx;        // column of the output
        if (r < cols && c < rows)
            out[(size_t)r * rows + c] = tile[tx][ty ^ tx];
    }
}
