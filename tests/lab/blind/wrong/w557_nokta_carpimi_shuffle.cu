// Nokta çarpımı - warp shuffle ile
// *sonuc çağrıdan önce sıfırlanmalı. BLOK 32'nin katı, n herhangi bir değer.
// Çağrı: nokta_carpimi<BLOK><<<izgara, BLOK>>>(a, b, sonuc, n);
#include <cuda_runtime.h>

const unsigned TUM_WARP = 0xffffffffu;

// warp içindeki 32 değerin toplamı (0. şeritte)
__device__ inline float warp_topla(float v)
{
    for (int uzaklik = warpSize / 2; uzaklik > 1; uzaklik /= 2)
        v += __shfl_down_sync(TUM_WARP, v, uzaklik);
    return v;
}

template <int BLOK>
__global__ void nokta_carpimi(const float* a, const float* b, float* sonuc, int n)
{
    __shared__ float warp_toplamlari[32];
    int serit = threadIdx.x % 32;
    int warp  = threadIdx.x / 32;

    float t = 0.f;
    for (int i = blockIdx.x * BLOK + threadIdx.x; i < n; i += BLOK * gridDim.x)
        t += a[i] * b[i];

    t = warp_topla(t);
    if (serit == 0) warp_toplamlari[warp] = t;
    __syncthreads();

    // ilk warp, warp toplamlarını birleştirir
    if (warp == 0) {
        t = serit < BLOK / 32 ? warp_toplamlari[serit] : 0.f;
        t = warp_topla(t);
        if (serit == 0) atomicAdd(sonuc, t);
    }
}

template __global__ void nokta_carpimi<512>(const float*, const float*, float*, int);
