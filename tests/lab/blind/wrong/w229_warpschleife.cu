// Skalarprodukt: jeder Warp summiert seine 32 Produkte sofort per Shuffle
// Aufruf:
//   warpSkalar<<<bloecke, 128>>>(x, y, ergebnis, n);   *ergebnis vorher 0
#define ALLE 0xffffffffu

__global__ void warpSkalar(const float *x, const float *y, float *ergebnis, int n)
{
    const int lane = threadIdx.x % 32;
    const int schritt = gridDim.x * blockDim.x;
    float warpWert = 0.0f;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += schritt) {
        float p = x[i] * y[i];
        p += __shfl_down_sync(ALLE, p, 16);
        p += __shfl_down_sync(ALLE, p, 8);
        p += __shfl_down_sync(ALLE, p, 4);
        p += __shfl_down_sync(ALLE, p, 2);
        p += __shfl_down_sync(ALLE, p, 1);
        if (lane == 0)
            warpWert += p;
    }

    if (lane == 0)
        atomicAdd(ergebnis, warpWert);
}
