#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;

static constexpr unsigned TUILE = 16;

__global__ void produitCG(const float *gauche, const float *droite, float *resultat,
                          unsigned lignes, unsigned commun, unsigned colonnes)
{
    cg::thread_block bloc = cg::this_thread_block();
    __shared__ float tg[TUILE * TUILE];
    __shared__ float td[TUILE * TUILE];

    const dim3 t = bloc.thread_index();
    const dim3 g = bloc.group_index();
    const unsigned l = g.y * TUILE + t.y;
    const unsigned c = g.x * TUILE + t.x;
    const unsigned local = bloc.thread_rank();     // = t.y * TUILE + t.x
    float s = 0.0f;

    for (unsigned d = 0; d < commun; d += TUILE) {
        tg[local] = (l < lignes && d + t.x < commun) ? gauche[l * commun + d + t.x] : 0.0f;
        td[local] = (d + t.y < commun && c < colonnes) ? droite[(d + t.y) * colonnes + c] : 0.0f;
        bloc.sync();
        for (unsigned k = 0; k < TUILE; ++k)
            s += tg[t.y * TUILE + k] * td[k * TUILE + t.x];
        bloc.sync();
    }
    if (l < lignes && c < colonnes)
        resultat[l * colonnes + c] = s;
}

int main()
{
    const unsigned lignes = 19, commun = 40, colonnes = 65;
    float *g, *d, *r;
    cudaMallocManaged(&g, lignes * commun * sizeof(float));
    cudaMallocManaged(&d, commun * colonnes * sizeof(float));
    cudaMallocManaged(&r, lignes * colonnes * sizeof(float));
    for (unsigned i = 0; i < lignes * commun; ++i) g[i] = 1.0f / (1 + i % 8);
    for (unsigned i = 0; i < commun * colonnes; ++i) d[i] = (float)(i % 3);
    dim3 bloc(TUILE, TUILE);
    dim3 grille((colonnes + TUILE - 1) / TUILE, (lignes + TUILE - 1) / TUILE);
    produitCG<<<grille, bloc>>>(g, d, r, lignes, commun, colonnes);
    if (cudaDeviceSynchronize() != cudaSuccess) puts("erreur");
    printf("%f\n", r[0]);
    return 0;
}
