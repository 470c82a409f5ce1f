// 畳み込み（ゼロパディング）: 共有メモリにハロー付きタイルを読み込む
//   out[y][x] = sum_{dy,dx} filt[dy+RAD][dx+RAD] * in[y+dy][x+dx]
// 画像の外側の画素は 0 とみなす。
// ブロック: (BW, BH)、グリッド: 画像全体を覆う（切り上げ）
#include <cuda_runtime.h>

template <int BW, int BH, int RAD>
__global__ void conv2d(const float* __restrict__ in, float* __restrict__ out,
                       const float* __restrict__ filt, int width, int height)
{
    constexpr int SW = BW + 2 * RAD;
    constexpr int SH = BH + 2 * RAD;
    constexpr int D = 2 * RAD + 1;
    __shared__ float tile[SH * SW];
    __shared__ float coef[D * D];

    const int tid = threadIdx.y * BW + threadIdx.x;
    const int ox = blockIdx.x * BW - RAD;
    const int oy = blockIdx.y * BH - RAD;

    for (int i = tid; i < D * D; i += BW * BH)
        coef[i] = filt[i];

    for (int i = tid; i < SW * SH; i += BW * BH) {
        const int gx = ox + i % SW;
        const int gy = oy + i / SW;
        if (gx >= 0 && gx < width && gy >= 0 && gy < height)
            tile[i] = in[(size_t)gy * width + gx];
    }
    __syncthreads();

    const int x = blockIdx.x * BW + threadIdx.x;
    const int y = blockIdx.y * BH + threadIdx.y;
    if (x < width && y < height) {
        float s = 0.f;
        for (int dy = 0; dy < D; ++dy)
            for (int dx = 0; dx < D; ++dx)
                s += coef[dy * D + dx] * tile[(threadIdx.y + dy) * SW + threadIdx.x + dx];
        out[(size_t)y * width + x] = s;
    }
}

template __global__ void conv2d<16, 16, 1>(const float*, float*, const float*, int, int);
template __global__ void conv2d<32, 8, 3>(const float*, float*, const float*, int, int);
