// dot product with cooperative groups
#include <cstdio>
#include <vector>
#include <numeric>
#include <cmath>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int TileSize>
__device__ float reduce_tile(cg::thread_block_tile<TileSize> g, float val)
{
    for (int i = g.size() / 2; i > 0; i /= 2)
        val += g.shfl_down(val, i);
    return val;   // only valid in thread 0 of the tile
}

__global__ void cg_dot(const float* a, const float* b, int n, float* sum)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);

    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    float mine = 0.f;
    for (int i = start; i < n; i += step)
        mine += a[i] * b[i];

    float t = reduce_tile<32>(tile, mine);
    if (tile.thread_rank() == 0)
        atomicAdd(sum, t);
}

int main()
{
    const int n = 54321;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) { a[i] = 0.001f * (i % 100); b[i] = 1.0f + (i % 3); }

    float *da, *db, *ds, result;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&ds, sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, sizeof(float));

    cg_dot<<<20, 128>>>(da, db, n, ds);
    cudaMemcpy(&result, ds, sizeof(float), cudaMemcpyDeviceToHost);

    double expected = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    bool ok = std::fabs(result - expected) < 1e-3 * expected;
    std::printf("%f vs %f\n%s\n", result, expected, ok ? "OK" : "BAD");
    cudaFree(da); cudaFree(db); cudaFree(ds);
    return ok ? 0 : 1;
}
