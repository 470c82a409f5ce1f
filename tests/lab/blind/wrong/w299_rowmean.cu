/* Średnie wierszy macierzy bajtów (unsigned char), jeden warp na wiersz.
 * Wynik: mean[r] = suma(wiersz r) / cols
 *
 * Wywołanie:
 *     rowMean<<<64, 128>>>(img, pitch, rows, cols, mean);
 * czyli 256 warpów; przy większej liczbie wierszy każdy warp bierze następne.
 */
#include <cuda_runtime.h>

#define WARP 32

__device__ static unsigned warpReduce(unsigned v)
{
    for (int o = WARP / 2; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xFFFFFFFFu, v, o);
    return v;
}

__global__ void rowMean(const unsigned char *img, size_t pitch,
                        int rows, int cols, float *mean)
{
    const int lane   = threadIdx.x % WARP;
    const int warp   = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const int nwarps = gridDim.x * blockDim.x / WARP;

    unsigned sum = 0;
    for (int r = warp; r < rows; r += nwarps) {
        const unsigned char *p = img + r * pitch;
        for (int c = lane; c < cols; c += WARP)
            sum += p[c];

        const unsigned total = warpReduce(sum);
        if (lane == 0)
            mean[r] = (float)total / (float)cols;
    }
}
