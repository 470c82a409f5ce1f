#include <cuda_runtime.h>

// Prodott skalari int8 · int8 -> int64.
// Il-buffers huma allinjati fuq 4 bytes; n4 = l-għadd ta' kliem ta' int8 x 4.
// *rizultat == 0 qabel il-bidu. blockDim.x = 32 * w (w = 1..32), gridDim.x kwalunkwe.
// n4 / (gridDim.x * blockDim.x) < 1000.

__global__ void dot_i8(const char4 *__restrict__ x, const char4 *__restrict__ y,
                       unsigned long long *rizultat, unsigned n4)
{
    __shared__ unsigned long long somma;
    if (threadIdx.x == 0)
        somma = 0ull;

    int v = 0;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n4;
         i += (unsigned long long)gridDim.x * blockDim.x)
        v = __dp4a(x[i], y[i], v);

    v = __reduce_add_sync(0xffffffffu, v);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&somma, (unsigned long long)(long long)v);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(rizultat, somma);
}
