// Prodotto scalare con gruppi cooperativi.
//
// parziali[b] riceve la somma del blocco b, poi l'host somma i parziali.
// La dimensione del blocco e' un multiplo di 32, al massimo 1024; n qualsiasi.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <typename Gruppo>
__device__ float sommaGruppo(const Gruppo &g, float v)
{
    for (int passo = g.size() / 2; passo > 0; passo /= 2)
        v += g.shfl_down(v, passo);
    return v;
}

__global__ void prodottoScalare(const float *x, const float *y, long long n,
                                float *parziali)
{
    __shared__ float sommeWarp[32];

    cg::thread_block blocco = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(blocco);

    const long long passo = (long long)gridDim.x * blockDim.x;
    float v = 0.0f;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        v = fmaf(x[i], y[i], v);

    v = sommaGruppo(warp, v);

    const int quale = threadIdx.x / 32;
    if (warp.thread_rank() == 0)
        sommeWarp[quale] = v;
    blocco.sync();

    // il primo warp somma i risultati dei warp
    if (quale == 0) {
        v = sommeWarp[warp.thread_rank()];
        v = sommaGruppo(warp, v);
        if (warp.thread_rank() == 0)
            parziali[blockIdx.x] = v;
    }
}
