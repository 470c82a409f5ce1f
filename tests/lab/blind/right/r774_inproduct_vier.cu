// Inproduct met float4-ladingen; de laatste 0 tot 3 elementen gaan apart.
//
// x en y komen uit cudaMalloc (uitgelijnd op 16 bytes), n >= 0 willekeurig.
// Elk blok schrijft een deelsom: deel[blockIdx.x]. De oproeper telt ze op.
// blockDim.x is een veelvoud van 32, hoogstens 1024; aantal blokken vrij te kiezen.
#include <cuda_runtime.h>

__device__ __forceinline__ float viervoud(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ __forceinline__ float warpSom(float s)
{
    s += __shfl_down_sync(0xffffffff, s, 16);
    s += __shfl_down_sync(0xffffffff, s, 8);
    s += __shfl_down_sync(0xffffffff, s, 4);
    s += __shfl_down_sync(0xffffffff, s, 2);
    s += __shfl_down_sync(0xffffffff, s, 1);
    return s;
}

__global__ void inproductVier(const float *__restrict__ x, const float *__restrict__ y,
                              float *__restrict__ deel, int n)
{
    __shared__ float perWarp[32];

    const int n4 = n / 4;
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    const float4 *y4 = reinterpret_cast<const float4 *>(y);

    const long long globaal = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long stap = (long long)gridDim.x * blockDim.x;

    float som = 0.0f;
    for (long long i = globaal; i < n4; i += stap)
        som += viervoud(x4[i], y4[i]);

    // de rest
    const long long rest = 4LL * n4 + globaal;
    if (rest < n)
        som += x[rest] * y[rest];

    som = warpSom(som);

    const int baan = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (baan == 0)
        perWarp[warp] = som;
    __syncthreads();

    if (warp == 0) {
        const int warps = blockDim.x / 32;
        float t = (baan < warps) ? perWarp[baan] : 0.0f;
        t = warpSom(t);
        if (baan == 0)
            deel[blockIdx.x] = t;
    }
}
