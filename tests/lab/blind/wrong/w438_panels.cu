// Thread coarsening by row panels.
// gridDim.y may be smaller than the number of row panels: each block then takes
// the panels blockIdx.y, blockIdx.y + gridDim.y, ...  Any m, n, k.
#include <cuda_runtime.h>

template <int TILE, int PER_THREAD>
__global__ void mm_panels(const float* __restrict__ a, const float* __restrict__ b,
                          float* __restrict__ c, int m, int n, int k)
{
    constexpr int PANEL = TILE * PER_THREAD;
    __shared__ float as[PANEL][TILE];
    __shared__ float bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx;
    const int panels = (m + PANEL - 1) / PANEL;

    float acc[PER_THREAD];
    for (int r = 0; r < PER_THREAD; ++r) acc[r] = 0.0f;

    for (int panel = blockIdx.y; panel < panels; panel += gridDim.y) {
        const int row0 = panel * PANEL;

        for (int k0 = 0; k0 < k; k0 += TILE) {
            for (int r = 0; r < PER_THREAD; ++r) {
                const int row = row0 + r * TILE + ty;
                as[r * TILE + ty][tx] = (row < m && k0 + tx < k) ? a[row * k + k0 + tx] : 0.0f;
            }
            bs[ty][tx] = (k0 + ty < k && col < n) ? b[(k0 + ty) * n + col] : 0.0f;
            __syncthreads();

            for (int p = 0; p < TILE; ++p)
                for (int r = 0; r < PER_THREAD; ++r)
                    acc[r] += as[r * TILE + ty][p] * bs[p][tx];
            __syncthreads();
        }

        for (int r = 0; r < PER_THREAD; ++r) {
            const int row = row0 + r * TILE + ty;
            if (row < m && col < n) c[row * n + col] = acc[r];
        }
    }
}

void multiply(const float* a, const float* b, float* c, int m, int n, int k)
{
    constexpr int TILE = 16, PER_THREAD = 4;
    int panels = (m + TILE * PER_THREAD - 1) / (TILE * PER_THREAD);
    if (panels > 32) panels = 32;
    dim3 grid((n + TILE - 1) / TILE, panels);
    mm_panels<TILE, PER_THREAD><<<grid, dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}
