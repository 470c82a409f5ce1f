#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Skalární součin pomocí cooperative groups.
// *vysledek musí být před spuštěním vynulován, velikost bloku je násobek 32.
__global__ void skalarniSoucin(const float *u, const float *v, int n, float *vysledek)
{
    cg::thread_block blok = cg::this_thread_block();
    cg::thread_block_tile<32> dlazdice = cg::tiled_partition<32>(blok);

    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += u[i] * v[i];

    s = cg::reduce(dlazdice, s, cg::plus<float>());

    if (blok.thread_rank() == 0)
        atomicAdd(vysledek, s);
}

void soucin(const float *u, const float *v, int n, float *vysledek, cudaStream_t proud)
{
    cudaMemsetAsync(vysledek, 0, sizeof(float), proud);
    skalarniSoucin<<<80, 256, 0, proud>>>(u, v, n, vysledek);
}
