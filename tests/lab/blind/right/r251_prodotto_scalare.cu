// Prodotto scalare con shuffle di warp e una atomicAdd per blocco.
// blockDim.x deve essere un multiplo di 32 (qui 256).
#include <cuda_runtime.h>
#include <algorithm>

template <typename Reale>
struct Riduzione {
    static __device__ Reale warp(Reale v)
    {
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
        return v;
    }

    // valido solo nel thread 0
    static __device__ Reale blocco(Reale v)
    {
        __shared__ Reale parziali[32];
        const int corsia = threadIdx.x & 31;
        const int numWarp = blockDim.x >> 5;
        const int mioWarp = threadIdx.x >> 5;

        v = warp(v);
        if (corsia == 0) parziali[mioWarp] = v;
        __syncthreads();

        if (mioWarp == 0) {
            v = corsia < numWarp ? parziali[corsia] : Reale(0);
            v = warp(v);
        }
        return v;
    }
};

template <typename Reale>
__global__ void prodottoScalare(const Reale* __restrict__ x, const Reale* __restrict__ y,
                                long long n, Reale* risultato)
{
    Reale somma = Reale(0);
    const long long passo = (long long)blockDim.x * gridDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        somma += x[i] * y[i];

    somma = Riduzione<Reale>::blocco(somma);
    if (threadIdx.x == 0)
        atomicAdd(risultato, somma);
}

// x e y sono puntatori del device; n >= 0
template <typename Reale>
Reale scalare(const Reale* x, const Reale* y, long long n)
{
    Reale *d = nullptr, h = Reale(0);
    cudaMalloc(&d, sizeof(Reale));
    cudaMemset(d, 0, sizeof(Reale));
    const long long servono = (n + 255) / 256;
    const int blocchi = (int)std::max(1LL, std::min(servono, 1024LL));
    prodottoScalare<Reale><<<blocchi, 256>>>(x, y, n, d);
    cudaMemcpy(&h, d, sizeof(Reale), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}

template float scalare<float>(const float*, const float*, long long);
template double scalare<double>(const double*, const double*, long long);
