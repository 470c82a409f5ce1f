// 課題3：行列ベクトル積 y = A x
// 1 ワープが 1 行を担当し、float4 でまとめて読み込む。
// A は rows x cols（行優先）。
// 制約：cols は 4 の倍数（4 以上）、A と x は 16 バイト境界に揃っていること
//       （cudaMalloc の先頭ポインタなら問題ない）。rows は 1 以上 10^9 以下。
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 8;

__device__ __forceinline__ float dot4(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// blockDim = (32, kWarpsPerBlock)：threadIdx.x がレーン番号になる
__global__ void matvecKernel(const float4* __restrict__ A,
                             const float4* __restrict__ x,
                             float* __restrict__ y,
                             int rows, int cols4)
{
    const int lane = threadIdx.x;
    const int row = blockIdx.x * kWarpsPerBlock + threadIdx.y;
    if (row >= rows)
        return;               // ワープ全体が一緒に抜ける

    const float4* a = A + static_cast<size_t>(row) * cols4;
    float sum = 0.0f;
    for (int c = lane; c < cols4; c += kWarp)
        sum += dot4(a[c], x[c]);

    // バタフライ型の縮約
    for (int mask = kWarp / 2; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, mask);

    if (lane == 0)
        y[row] = sum;
}

}  // namespace

// dA, dx, dy はデバイス側のポインタ
cudaError_t matvec(const float* dA, const float* dx, float* dy, int rows, int cols)
{
    if (rows < 1 || rows > 1000000000 || cols < 4 || cols % 4 != 0)
        return cudaErrorInvalidValue;

    const dim3 block(kWarp, kWarpsPerBlock);
    const unsigned grid = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock;
    matvecKernel<<<grid, block>>>(reinterpret_cast<const float4*>(dA),
                                  reinterpret_cast<const float4*>(dx),
                                  dy, rows, cols / 4);
    return cudaGetLastError();
}
