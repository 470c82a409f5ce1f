// Transpose of a rows x cols matrix through shared memory.
#include <cstdio>
#include <vector>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void transpose(float *out, const float *in, int rows, int cols)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();

    x = blockIdx.x * TILE_DIM + threadIdx.x;
    y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < cols)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    const int rows = 200, cols = 90;
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; ++i)
        in[i] = i;

    float *dIn, *dOut;
    cudaMalloc(&dIn, rows * cols * sizeof(float));
    cudaMalloc(&dOut, rows * cols * sizeof(float));
    cudaMemcpy(dIn, in.data(), rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dOut, 0, rows * cols * sizeof(float));

    dim3 grid((cols + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM);
    dim3 block(TILE_DIM, BLOCK_ROWS);
    transpose<<<grid, block>>>(dOut, dIn, rows, cols);
    cudaMemcpy(out.data(), dOut, rows * cols * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
            if (out[c * rows + r] != in[r * cols + c])
                ++bad;
    std::printf("%s\n", bad == 0 ? "ok" : "not ok");
    cudaFree(dIn);
    cudaFree(dOut);
    return bad != 0;
}
