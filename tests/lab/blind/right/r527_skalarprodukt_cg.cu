// Übung 4: Skalarprodukt mit Cooperative Groups
// float4-Laden, grid-stride-Schleife, Warp-Reduktion, ein atomicAdd pro Warp
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define PRUEFE(aufruf)                                                          \
    do {                                                                        \
        cudaError_t f_ = (aufruf);                                              \
        if (f_ != cudaSuccess) {                                                \
            printf("Fehler %s Zeile %d\n", cudaGetErrorString(f_), __LINE__);   \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

__global__ void skalarprodukt(const float *__restrict__ x, const float *__restrict__ y,
                              float *ergebnis, int n)
{
    cg::grid_group gitter = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    const unsigned long long id = gitter.thread_rank();
    const unsigned long long schritt = gitter.size();

    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    const float4 *y4 = reinterpret_cast<const float4 *>(y);
    const int n4 = n / 4;

    float summe = 0.0f;
    for (unsigned long long i = id; i < n4; i += schritt) {
        float4 a = x4[i];
        float4 b = y4[i];
        summe += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    // Rest: höchstens drei Elemente
    const int rest = n - 4 * n4;
    if (id < rest)
        summe += x[4 * n4 + id] * y[4 * n4 + id];

    summe = cg::reduce(warp, summe, cg::plus<float>());
    if (warp.thread_rank() == 0)
        atomicAdd(ergebnis, summe);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000003;
    if (n <= 0) { printf("n muss positiv sein\n"); return 1; }

    std::vector<float> hx(n), hy(n);
    double soll = 0.0;
    for (int i = 0; i < n; ++i) {
        hx[i] = (float)(rand() % 200 - 100) / 100.0f;
        hy[i] = (float)(rand() % 200 - 100) / 100.0f;
        soll += (double)hx[i] * hy[i];
    }

    float *dx, *dy, *dErg;
    PRUEFE(cudaMalloc(&dx, n * sizeof(float)));
    PRUEFE(cudaMalloc(&dy, n * sizeof(float)));
    PRUEFE(cudaMalloc(&dErg, sizeof(float)));
    PRUEFE(cudaMemcpy(dx, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dy, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemset(dErg, 0, sizeof(float)));

    int bloecke = (n / 4 + 255) / 256;
    if (bloecke > 432) bloecke = 432;
    if (bloecke < 1) bloecke = 1;
    skalarprodukt<<<bloecke, 256>>>(dx, dy, dErg, n);
    PRUEFE(cudaGetLastError());

    float ist = 0.0f;
    PRUEFE(cudaMemcpy(&ist, dErg, sizeof(float), cudaMemcpyDeviceToHost));
    const bool ok = fabs(ist - soll) <= 1e-3 * sqrt((double)n) + 1e-5;
    printf("n=%d GPU=%f CPU=%f %s\n", n, ist, soll, ok ? "richtig" : "FALSCH");

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dErg);
    return ok ? 0 : 2;
}
