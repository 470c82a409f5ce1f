#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <memory>

namespace cg = cooperative_groups;

constexpr int kTile = 16;

struct Shape { int rows, inner, cols; };

__global__ void multiply(Shape s, const float* a, const float* b, float* c)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ float ta[kTile][kTile];
    __shared__ float tb[kTile][kTile];

    const int lx = threadIdx.x, ly = threadIdx.y;
    const int row = blockIdx.y * kTile + ly;
    const int col = blockIdx.x * kTile + lx;

    float sum = 0.f;
    for (int base = 0; base < s.inner; base += kTile) {
        const int ak = base + lx;
        const int bk = base + ly;
        ta[ly][lx] = (row < s.rows && bk < s.inner) ? a[row * s.inner + ak] : 0.f;
        tb[ly][lx] = (bk < s.inner && col < s.cols) ? b[bk * s.cols + col] : 0.f;
        block.sync();
        for (int k = 0; k < kTile; ++k) sum += ta[ly][k] * tb[k][lx];
        block.sync();
    }
    if (row < s.rows && col < s.cols) c[row * s.cols + col] = sum;
}

int main()
{
    const Shape s{ 45, 50, 38 };
    std::unique_ptr<float[]> a(new float[s.rows * s.inner]);
    std::unique_ptr<float[]> b(new float[s.inner * s.cols]);
    std::unique_ptr<float[]> c(new float[s.rows * s.cols]);
    for (int i = 0; i < s.rows * s.inner; ++i) a[i] = float(rand()) / RAND_MAX;
    for (int i = 0; i < s.inner * s.cols; ++i) b[i] = float(rand()) / RAND_MAX;

    float *da, *db, *dc;
    cudaMalloc(&da, s.rows * s.inner * sizeof(float));
    cudaMalloc(&db, s.inner * s.cols * sizeof(float));
    cudaMalloc(&dc, s.rows * s.cols * sizeof(float));
    cudaMemcpy(da, a.get(), s.rows * s.inner * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.get(), s.inner * s.cols * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(kTile, kTile);
    dim3 blocks((s.cols + kTile - 1) / kTile, (s.rows + kTile - 1) / kTile);
    multiply<<<blocks, threads>>>(s, da, db, dc);
    cudaMemcpy(c.get(), dc, s.rows * s.cols * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < s.rows; ++i)
        for (int j = 0; j < s.cols; ++j) {
            float r = 0;
            for (int k = 0; k < s.inner; ++k) r += a[i * s.inner + k] * b[k * s.cols + j];
            if (std::fabs(r - c[i * s.cols + j]) > 1e-3f) ++bad;
        }
    std::printf("bad = %d\n", bad);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return bad != 0;
}
