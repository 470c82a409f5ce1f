// Inproduct in twee stappen (practicum week 5)
// stap 1: elk blok schrijft een deelsom, stap 2: een blok telt de deelsommen op
#include <cuda_runtime.h>

template <typename T, unsigned int BLOK>
__device__ T blokSom(T v)
{
    __shared__ T s[BLOK];
    unsigned int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    if (BLOK >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (BLOK >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (BLOK >= 128) { if (t <  64) s[t] += s[t +  64]; __syncthreads(); }
    T r = T(0);
    if (t < 32) {
        r = s[t] + s[t + 32];
        for (int d = 16; d > 0; d >>= 1)
            r += __shfl_down_sync(0xffffffffu, r, d);
    }
    return r;          // alleen geldig in thread 0
}

template <typename T, unsigned int BLOK>
__global__ void stap1(const T *x, const T *y, T *deel, size_t n)
{
    T som = T(0);
    // elk blok doet een aaneengesloten stuk
    size_t stuk  = (n + gridDim.x - 1) / gridDim.x;
    size_t begin = blockIdx.x * stuk;
    size_t eind  = begin + stuk < n ? begin + stuk : n;
    for (size_t i = begin + threadIdx.x; i < eind; i += BLOK)
        som += x[i] * y[i];

    som = blokSom<T, BLOK>(som);
    if (threadIdx.x == 0) deel[blockIdx.x] = som;
}

template <typename T, unsigned int BLOK>
__global__ void stap2(const T *deel, T *uit, int aantal)
{
    T som = T(0);
    for (int i = threadIdx.x; i < aantal; i += BLOK)
        som += deel[i];
    som = blokSom<T, BLOK>(som);
    if (threadIdx.x == 0) *uit = som;
}

// x en y staan op de GPU, n >= 0
template <typename T>
T inproduct(const T *x, const T *y, size_t n)
{
    const int blokken = 200;
    T *deel, *uit, antwoord;
    cudaMalloc(&deel, blokken * sizeof(T));
    cudaMalloc(&uit, sizeof(T));
    stap1<T, 128><<<blokken, 128>>>(x, y, deel, n);
    stap2<T, 64><<<1, 64>>>(deel, uit, blokken);
    cudaMemcpy(&antwoord, uit, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(deel);
    cudaFree(uit);
    return antwoord;
}

template float  inproduct<float>(const float *, const float *, size_t);
template double inproduct<double>(const double *, const double *, size_t);
