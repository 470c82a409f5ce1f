// Префиксная сумма (включающая) по тайлам.
// Каждый блок сканирует THREADS * ITEMS подряд идущих элементов и кладёт
// сумму тайла в tileTotals[blockIdx.x]. Второе ядро прибавляет к каждому тайлу
// сумму всех предыдущих (tileOffsets -- исключающая префиксная сумма tileTotals,
// её считает вызывающий код).
#include <cuda_runtime.h>

static constexpr int THREADS = 128;
static constexpr int ITEMS   = 4;
static constexpr int TILE    = THREADS * ITEMS;
static constexpr int WARPS   = THREADS / 32;

__device__ __forceinline__ int warpInclusive(int v, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xFFFFFFFF, v, d);
        if (lane >= d)
            v += left;
    }
    return v;
}

__global__ __launch_bounds__(THREADS)
void scanTiles(const int *in, int *out, int *tileTotals, int n)
{
    __shared__ int warpTotal[WARPS];

    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int base = blockIdx.x * TILE + threadIdx.x * ITEMS;

    // локальный скан в регистрах
    int v[ITEMS];
    int running = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        running += (base + i < n) ? in[base + i] : 0;
        v[i] = running;
    }

    const int inclusive = warpInclusive(running, lane);
    if (lane == 31)
        warpTotal[warp] = inclusive;
    __syncthreads();

    int before = inclusive - running;       // сумма младших нитей того же варпа
    for (int w = 0; w < warp; ++w)
        before += warpTotal[w];

#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        if (base + i < n)
            out[base + i] = before + v[i];

    if (threadIdx.x == THREADS - 1)
        tileTotals[blockIdx.x] = before + running;
}

__global__ __launch_bounds__(THREADS)
void addTileOffsets(int *out, const int *tileOffsets, int n)
{
    const int add = tileOffsets[blockIdx.x];
    for (int i = threadIdx.x; i < TILE; i += THREADS) {
        const int g = blockIdx.x * TILE + i;
        if (g < n)
            out[g] += add;
    }
}
