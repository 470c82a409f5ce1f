// Prodotto scalare in un solo lancio cooperativo: somme parziali dei blocchi,
// barriera di griglia, poi il blocco 0 somma i parziali.
#include <cstdio>
#include <algorithm>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

constexpr int FILI = 128;

__device__ float sommaBlocco(cg::thread_block blocco, float v)
{
    __shared__ float perWarp[FILI / 32];
    auto warp = cg::tiled_partition<32>(blocco);
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0)
        perWarp[blocco.thread_rank() / 32] = v;
    blocco.sync();
    float totale = 0.0f;
    for (int w = 0; w < FILI / 32; ++w) totale += perWarp[w];
    blocco.sync();
    return totale;
}

__global__ void scalare(const float* u, const float* v, int n, float* parziali, float* esito)
{
    cg::grid_group griglia = cg::this_grid();
    cg::thread_block blocco = cg::this_thread_block();

    float s = 0.0f;
    for (int i = (int)griglia.thread_rank(); i < n; i += (int)griglia.size())
        s += u[i] * v[i];
    s = sommaBlocco(blocco, s);
    if (blocco.thread_rank() == 0) parziali[blockIdx.x] = s;

    griglia.sync();
    if (blockIdx.x == 0) {
        float p = 0.0f;
        for (int b = threadIdx.x; b < gridDim.x; b += FILI) p += parziali[b];
        p = sommaBlocco(blocco, p);
        if (threadIdx.x == 0) *esito = p;
    }
}

int main()
{
    int dispositivo = 0, sm = 0, perSm = 0, coop = 0;
    cudaGetDevice(&dispositivo);
    cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dispositivo);
    if (!coop) { printf("lancio cooperativo non disponibile\n"); return 0; }
    cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, dispositivo);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, scalare, FILI, 0);
    int blocchi = std::min(sm * perSm, 512);

    int n = 70001;
    float *u, *v, *parziali, *esito;
    cudaMallocManaged(&u, n * sizeof(float));
    cudaMallocManaged(&v, n * sizeof(float));
    cudaMallocManaged(&parziali, blocchi * sizeof(float));
    cudaMallocManaged(&esito, sizeof(float));
    long atteso = 0;
    for (int i = 0; i < n; ++i) {
        u[i] = i % 6;
        v[i] = i % 4;
        atteso += (i % 6) * (i % 4);
    }

    void* argomenti[] = {&u, &v, &n, &parziali, &esito};
    cudaLaunchCooperativeKernel((void*)scalare, dim3(blocchi), dim3(FILI), argomenti, 0, 0);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("errore\n"); return 1; }
    printf("esito %.1f, atteso %ld\n", *esito, atteso);
    bool giusto = (long)*esito == atteso;
    cudaFree(u); cudaFree(v); cudaFree(parziali); cudaFree(esito);
    return giusto ? 0 : 1;
}
