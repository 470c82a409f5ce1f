// y = A x, una riga per warp. A: righe x colonne con passo lda (lda >= colonne).
// Letture float4 quando l'allineamento lo permette, altrimenti scalari.
#include <cuda_runtime.h>
#include <cstdint>

template <bool VETT>
__global__ void matVet(const float* __restrict__ A, size_t lda,
                       const float* __restrict__ x, float* __restrict__ y,
                       int righe, int colonne)
{
    const int corsia = threadIdx.x & 31;
    const int riga   = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (riga >= righe)
        return;                       // esce l'intero warp

    const float* a = A + riga * lda;
    float acc = 0.f;
    int inizio = 0;

    if (VETT) {
        const float4* a4 = reinterpret_cast<const float4*>(a);
        const float4* x4 = reinterpret_cast<const float4*>(x);
        const int quarti = colonne / 4;
        for (int i = corsia; i < quarti; i += 32) {
            const float4 p = a4[i];
            const float4 q = x4[i];
            acc = fmaf(p.x, q.x, acc);
            acc = fmaf(p.y, q.y, acc);
            acc = fmaf(p.z, q.z, acc);
            acc = fmaf(p.w, q.w, acc);
        }
        inizio = quarti * 4;
    }
    for (int j = inizio + corsia; j < colonne; j += 32)
        acc = fmaf(a[j], x[j], acc);

    for (int m = 16; m; m >>= 1)
        acc += __shfl_xor_sync(0xffffffffu, acc, m);
    if (corsia == 0)
        y[riga] = acc;
}

static bool allineato16(const void* p)
{
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

// puntatori sul device
cudaError_t moltiplica(const float* A, size_t lda, const float* x, float* y,
                       int righe, int colonne, cudaStream_t flusso)
{
    if (righe < 1 || colonne < 1 || lda < static_cast<size_t>(colonne))
        return cudaErrorInvalidValue;
    const int warpPerBlocco = 4;
    const int blocchi = (righe - 1) / warpPerBlocco + 1;
    if (lda % 4 == 0 && allineato16(A) && allineato16(x))
        matVet<true><<<blocchi, warpPerBlocco * 32, 0, flusso>>>(A, lda, x, y, righe, colonne);
    else
        matVet<false><<<blocchi, warpPerBlocco * 32, 0, flusso>>>(A, lda, x, y, righe, colonne);
    return cudaGetLastError();
}
