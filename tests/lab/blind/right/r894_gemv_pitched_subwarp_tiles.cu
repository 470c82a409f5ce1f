// पंक्ति-छोटी आव्यूह के लिए y = A x : हर पंक्ति पर TPR धागे (4, 8, 16 या 32)।
// A को cudaMallocPitch से लिया गया है, इसलिए pitch बाइट में है।
#include <cstdio>
#include <cmath>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

template <int TPR>
__global__ void gemv_tile(const char* A, size_t pitch, const float* x, float* y, int rows, int cols)
{
    auto tile = cg::tiled_partition<TPR>(cg::this_thread_block());
    const int row = blockIdx.x * (blockDim.x / TPR) + tile.meta_group_rank();
    if (row >= rows) return;                          // पूरा टाइल साथ में निकलता है

    const float* a = reinterpret_cast<const float*>(A + row * pitch);
    float s = 0.f;
    for (int c = tile.thread_rank(); c < cols; c += TPR) s += a[c] * x[c];
    for (int d = TPR / 2; d > 0; d /= 2) s += tile.shfl_down(s, d);
    if (tile.thread_rank() == 0) y[row] = s;
}

void gemv(const float* A, size_t pitch, const float* x, float* y, int rows, int cols)
{
    constexpr int BLOCK = 128;
    auto go = [&](auto kernel, int tpr) {
        const int per = BLOCK / tpr;
        kernel<<<(rows + per - 1) / per, BLOCK>>>(reinterpret_cast<const char*>(A), pitch, x, y, rows, cols);
    };
    if (cols <= 8)       go(gemv_tile<4>, 4);
    else if (cols <= 32) go(gemv_tile<8>, 8);
    else if (cols <= 96) go(gemv_tile<16>, 16);
    else                 go(gemv_tile<32>, 32);
}

int main()
{
    int bad = 0;
    for (int cols : {1, 7, 30, 65, 300}) {
        const int rows = 205;
        std::vector<float> h(rows * cols), x(cols), y(rows);
        for (size_t i = 0; i < h.size(); ++i) h[i] = (float)((i * 31) % 17) - 8.0f;
        for (int i = 0; i < cols; ++i) x[i] = (float)(i % 5) - 2.0f;

        float *dA, *dx, *dy;
        size_t pitch;
        cudaMallocPitch(&dA, &pitch, cols * sizeof(float), rows);
        cudaMalloc(&dx, cols * sizeof(float));
        cudaMalloc(&dy, rows * sizeof(float));
        cudaMemcpy2D(dA, pitch, h.data(), cols * sizeof(float), cols * sizeof(float), rows, cudaMemcpyHostToDevice);
        cudaMemcpy(dx, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
        gemv(dA, pitch, dx, dy, rows, cols);
        cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);

        for (int r = 0; r < rows; ++r) {
            float s = 0;
            for (int c = 0; c < cols; ++c) s += h[r * cols + c] * x[c];
            if (std::fabs(s - y[r]) > 1e-3f) ++bad;
        }
        cudaFree(dA); cudaFree(dx); cudaFree(dy);
    }
    std::printf("गलत मान: %d\n", bad);
    return bad ? 1 : 0;
}
