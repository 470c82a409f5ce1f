#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Prodotto scalare con gruppi cooperativi.
// Un solo blocco di NT thread percorre tutto il vettore: <<<1, NT>>>
constexpr int NT = 512;

__global__ void __launch_bounds__(NT)
scalareCG(const float *x, const float *y, int n, float *esito)
{
    cg::thread_block blocco = cg::this_thread_block();
    auto squadra = cg::tiled_partition<32>(blocco);

    __shared__ float parziali[NT / 32];

    float s = 0.f;
    for (int i = blocco.thread_rank(); i < n; i += NT)
        s = fmaf(x[i], y[i], s);

    for (int d = squadra.size() / 2; d > 0; d /= 2)
        s += squadra.shfl_down(s, d);

    if (squadra.thread_rank() == 0)
        parziali[blocco.thread_rank() / 32] = s;
    blocco.sync();

    if (blocco.thread_rank() == 0) {
        float totale = 0.f;
        for (int w = 0; w < NT / 32; ++w)
            totale += parziali[w];
        *esito = totale;
    }
}
