// 転置行列とベクトルの積  y = A^T x
// A は rows x cols (行優先)。1スレッドが1列を担当し、行方向は blockIdx.y で分割する。
// 行ごとに連続アクセスになるので転置は作らない。
#include <cuda_runtime.h>

#define RETSU_BLOCK 128     // 1ブロックの列数
#define GYOU_BLOCK  64      // 1ブロックの行数

struct Keisan {
    const float *A;
    const float *x;
    float *y;
    int rows;
    int cols;
};

__global__ void tenchiSeki(Keisan p)
{
    __shared__ float xs[GYOU_BLOCK];

    const int hajime = blockIdx.y * GYOU_BLOCK;
    const int kazu = min(GYOU_BLOCK, p.rows - hajime);

    // x の一部を共有メモリへ
    if (threadIdx.x < kazu)
        xs[threadIdx.x] = p.x[hajime + threadIdx.x];
    __syncthreads();

    const int retsu = blockIdx.x * RETSU_BLOCK + threadIdx.x;
    if (retsu >= p.cols)
        return;

    const float *a = p.A + (size_t)hajime * p.cols + retsu;
    float goukei = 0.0f;
    for (int i = 0; i < kazu; ++i) {
        goukei += (*a) * xs[i];
        a += p.cols;
    }
    atomicAdd(&p.y[retsu], goukei);
}

// ポインタはすべてデバイス側。 rows <= 4000000 程度まで (gridDim.y の制限)
int tenchiMatVec(const float *dA, const float *dx, float *dy, int rows, int cols)
{
    if (rows < 1 || cols < 1)
        return -1;

    Keisan p = { dA, dx, dy, rows, cols };
    cudaMemset(dy, 0, sizeof(float) * cols);

    dim3 g((cols + RETSU_BLOCK - 1) / RETSU_BLOCK, (rows + GYOU_BLOCK - 1) / GYOU_BLOCK);
    tenchiSeki<<<g, RETSU_BLOCK>>>(p);

    return cudaDeviceSynchronize() == cudaSuccess ? 0 : -2;
}
