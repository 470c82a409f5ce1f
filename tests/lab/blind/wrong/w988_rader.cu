#include <cuda_runtime.h>

// y = M v, en warp per rad, fyra warpar i varje block
#define WARPAR 4

__global__ void mv(const float *M, const float *v, float *y, int rader, int kolumner)
{
    int bana = threadIdx.x % 32;
    int rad  = blockIdx.x * WARPAR + threadIdx.x / 32;
    if (rad >= rader) return;          // hela warpen slutar

    float s = 0;
    for (int k = bana; k < kolumner; k += 32)
        s += M[rad * kolumner + k] * v[k];

    s += __shfl_xor_sync(0xffffffffu, s, 16);
    s += __shfl_xor_sync(0xffffffffu, s, 8);
    s += __shfl_xor_sync(0xffffffffu, s, 4);
    s += __shfl_xor_sync(0xffffffffu, s, 2);
    s += __shfl_xor_sync(0xffffffffu, s, 1);

    if (threadIdx.x == 0)
        y[rad] = s;
}

// mv<<<(rader + WARPAR - 1) / WARPAR, 32 * WARPAR>>>(M, v, y, rader, kolumner);
