// Luokkajakauma: montako kertaa kukin arvo 0..255 esiintyy.
// Summa lisataan taulukkoon `maarat`, jonka kutsuja on nollannut.
#include <cuda_runtime.h>
#include <stdint.h>

#define LUOKKIA 256

__global__ void jakauma(const uint8_t *tiedot, size_t n, unsigned *maarat)
{
    __shared__ unsigned omat[LUOKKIA];

    if (threadIdx.x < LUOKKIA)
        omat[threadIdx.x] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&omat[tiedot[i]], 1u);
    __syncthreads();

    for (int l = threadIdx.x; l < LUOKKIA; l += blockDim.x)
        atomicAdd(&maarat[l], omat[l]);
}

void laske(const uint8_t *tiedot, size_t n, unsigned *maarat, cudaStream_t jono)
{
    cudaMemsetAsync(maarat, 0, LUOKKIA * sizeof(unsigned), jono);
    jakauma<<<40, 128, 0, jono>>>(tiedot, n, maarat);
}
