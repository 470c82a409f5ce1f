// Prodotto scalare in un solo lancio: l'ultimo blocco che finisce somma i
// parziali di tutti gli altri.
// Un solo prodotto alla volta (il contatore è globale).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CONTROLLA(x)                                                       \
    if (cudaError_t e = (x); e != cudaSuccess) {                           \
        std::fprintf(stderr, "errore: %s\n", cudaGetErrorString(e));       \
        std::exit(1);                                                      \
    }

constexpr unsigned THREADS = 256;
constexpr size_t MAX_BLOCCHI = 512;

__device__ unsigned int finiti = 0;

// Somma sui THREADS valori del blocco, risultato in s[0].
__device__ void sommaAlbero(float* s)
{
    __syncthreads();
    for (unsigned d = THREADS / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
}

__global__ void prodotto(const float* __restrict__ a, const float* __restrict__ b,
                         size_t n, volatile float* parziali, float* risultato)
{
    __shared__ float s[THREADS];
    __shared__ bool ultimo;
    const unsigned tid = threadIdx.x;

    float v = 0.f;
    for (size_t i = size_t(blockIdx.x) * THREADS + tid; i < n;
         i += size_t(gridDim.x) * THREADS)
        v += a[i] * b[i];

    s[tid] = v;
    sommaAlbero(s);

    if (tid == 0) {
        parziali[blockIdx.x] = s[0];
        __threadfence();                                   // prima il dato, poi il biglietto
        const unsigned biglietto = atomicInc(&finiti, gridDim.x - 1);
        ultimo = (biglietto == gridDim.x - 1);             // atomicInc torna a 0 da solo
    }
    __syncthreads();
    if (!ultimo) return;

    __threadfence();
    v = 0.f;
    for (unsigned i = tid; i < gridDim.x; i += THREADS)
        v += parziali[i];
    s[tid] = v;
    sommaAlbero(s);

    if (tid == 0) *risultato = s[0];
}

// da e db sono vettori sul device, n può essere anche zero
float prodottoScalare(const float* da, const float* db, size_t n)
{
    const size_t servono = (n + THREADS - 1) / THREADS;
    const auto blocchi = unsigned(std::clamp<size_t>(servono, 1, MAX_BLOCCHI));

    float* memoria;   // parziali + risultato in fondo
    CONTROLLA(cudaMalloc(&memoria, (blocchi + 1) * sizeof(float)));

    prodotto<<<blocchi, THREADS>>>(da, db, n, memoria, memoria + blocchi);
    CONTROLLA(cudaGetLastError());

    float h;
    CONTROLLA(cudaMemcpy(&h, memoria + blocchi, sizeof h, cudaMemcpyDeviceToHost));
    CONTROLLA(cudaFree(memoria));
    return h;
}
