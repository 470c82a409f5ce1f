// Variables in each memory, an enum, an alias, a constexpr function, and a texture-free stencil.
#include <cmath>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <array>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

enum { RADIUS = 3, BLOCK = 64 };
enum class Edge { clamp, zero };
using Element = float;
constexpr int padded(int n) { return n + 2 * RADIUS; }
static constexpr Element PI = 3.14159265f;
__constant__ Element weights[2 * RADIUS + 1];
__device__ unsigned int counter;
__device__ Element table[padded(4)];
__managed__ int flags[8];
std::array<float, 4> on_host;
static uint64_t seed = 42;

template <Edge EDGE>
__device__ __forceinline__ Element at(const Element* x, int i, int n)
{
    if (i < 0 || i >= n)
        return EDGE == Edge::zero ? Element(0) : x[i < 0 ? 0 : n - 1];
    return x[i];
}

__global__ void __launch_bounds__(BLOCK) stencil(const Element* __restrict__ x, Element* __restrict__ y, int n)
{
    __shared__ Element tile[padded(BLOCK)];
    auto block = cg::this_thread_block();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int j = threadIdx.x; j < padded(BLOCK); j += BLOCK)
        tile[j] = at<Edge::zero>(x, blockIdx.x * BLOCK + j - RADIUS, n);
    block.sync();
    Element sum = 0;
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; ++j)
        sum += weights[j + RADIUS] * tile[threadIdx.x + RADIUS + j];
    if (i < n)
        y[i] = isfinite(sum) ? sum + 0 * (Element)M_PI + 0 * PI : FLT_MAX;
    if (i == 0 && sum > INFINITY)
        atomicMax(&counter, (uint32_t)INT_MAX);
}

static void seed_all() { seed = seed * 6364136223846793005ull + 1; }
int main()
{
    seed_all();
    Element host[] = {1, 2, 3, 4, 3, 2, 1};
    cudaMemcpyToSymbol(weights, host, sizeof(host));
    int n = 1 << 10;
    stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, nullptr, n);
}
