// Skalärprodukt av två heltalsvektorer (int32), summan i 64 bitar.
// Anroparen svarar för att summan ryms i ett 64-bitars heltal.
#include <cuda_runtime.h>

typedef unsigned long long u64;

template <int TRADAR>
__global__ void skalarKarna(const int *x, const int *y, size_t antal, long long *svar)
{
    static_assert(TRADAR > 0 && (TRADAR & (TRADAR - 1)) == 0, "tvapotens kravs");
    __shared__ long long ruta[TRADAR];

    const size_t steg = (size_t)TRADAR * gridDim.x;
    long long egen = 0;
    for (size_t i = (size_t)blockIdx.x * TRADAR + threadIdx.x; i < antal; i += steg)
        egen += (long long)x[i] * y[i];

    ruta[threadIdx.x] = egen;
    __syncthreads();

#pragma unroll
    for (int halva = TRADAR / 2; halva >= 1; halva /= 2) {
        if (threadIdx.x < halva)
            ruta[threadIdx.x] += ruta[threadIdx.x + halva];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd((u64 *)svar, (u64)ruta[0]);   // tvåkomplement: fungerar även för negativa tal
}

class Skalarprodukt {
public:
    Skalarprodukt() : svar_(nullptr) { status_ = cudaMalloc(&svar_, sizeof(long long)); }
    ~Skalarprodukt() { cudaFree(svar_); }
    Skalarprodukt(const Skalarprodukt &) = delete;
    Skalarprodukt &operator=(const Skalarprodukt &) = delete;

    // x och y ligger på grafikkortet; kan anropas många gånger
    cudaError_t berakna(const int *x, const int *y, size_t antal, long long &ut)
    {
        ut = 0;
        if (status_ != cudaSuccess) return status_;
        if (antal == 0) return cudaSuccess;

        const int T = 512;
        size_t block = (antal + T - 1) / T;
        if (block > 2048) block = 2048;

        cudaError_t e = cudaMemset(svar_, 0, sizeof(long long));
        if (e != cudaSuccess) return e;
        skalarKarna<T><<<(unsigned)block, T>>>(x, y, antal, svar_);
        e = cudaGetLastError();
        if (e != cudaSuccess) return e;
        return cudaMemcpy(&ut, svar_, sizeof(long long), cudaMemcpyDeviceToHost);
    }

private:
    long long *svar_;
    cudaError_t status_;
};
