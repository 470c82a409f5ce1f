// Skalärprodukt med warp-shuffle och atomicAdd
//
// *resultat måste nollställas före anropet (cudaMemset).
// blockDim.x ska vara en multipel av 32 (högst 1024). Antalet block är fritt.

#define WARP 32
#define HELA 0xffffffffu

__device__ float warpSumma(float v)
{
    for (int steg = WARP / 2; steg > 0; steg /= 2)
        v += __shfl_down_sync(HELA, v, steg);
    return v;           // rätt i lane 0
}

__global__ void skalarprodukt(const float *x, const float *y, size_t n, float *resultat)
{
    __shared__ float perWarp[WARP];

    float v = 0.0f;
    size_t hopp = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += hopp)
        v += x[i] * y[i];

    int lane = threadIdx.x & (WARP - 1);
    int warp = threadIdx.x / WARP;

    v = warpSumma(v);
    if (lane == 0)
        perWarp[warp] = v;
    __syncthreads();

    if (warp == 0) {
        int antal = blockDim.x / WARP;
        v = (lane < antal) ? perWarp[lane] : 0.0f;
        v = warpSumma(v);
        if (lane == 0)
            atomicAdd(resultat, v);
    }
}
