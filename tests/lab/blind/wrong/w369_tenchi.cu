// 課題2：行列の転置
// in は height x width、out は width x height（どちらも行優先、1 以上、
// height は 2097120 以下）。
// 32 x 32 のタイルを 32 x 8 スレッドで処理する。
#include <cuda_runtime.h>

static const int TILE = 32;
static const int ROWS = 8;

__global__ void transposeTile(const float* in, float* out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];   // +1 はバンク衝突を避けるため

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;

    // 読み込み（x 方向に連続）
    for (int j = 0; j < TILE; j += ROWS) {
        if (x < width && (y + j) < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
    }
    __syncthreads();

    // 書き込み（ブロックの位置を入れ替える）
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        if (x < width && (y + j) < height)
            out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

// d_in, d_out はデバイスのポインタ
cudaError_t transpose(const float* d_in, float* d_out, int width, int height)
{
    if (width < 1 || height < 1 || height > 2097120)
        return cudaErrorInvalidValue;
    dim3 block(TILE, ROWS);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transposeTile<<<grid, block>>>(d_in, d_out, width, height);
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess)
        err = cudaDeviceSynchronize();
    return err;
}
