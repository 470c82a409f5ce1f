// Prodotto scalare in due kernel, con i gruppi cooperativi.
// Primo kernel: una somma parziale per blocco. Secondo kernel: un blocco solo somma le parziali.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

constexpr int NT = 256;
constexpr int NW = NT / 32;

// Somma i valori di tutti i thread del blocco. Il risultato vale solo nel thread 0.
__device__ double sommaBlocco(cg::thread_block blocco, double v)
{
    __shared__ double perWarp[NW];
    auto warp = cg::tiled_partition<32>(blocco);

    for (int d = warp.size() / 2; d > 0; d /= 2)
        v += warp.shfl_down(v, d);
    if (warp.thread_rank() == 0)
        perWarp[warp.meta_group_rank()] = v;
    blocco.sync();

    double tot = 0.0;
    if (blocco.thread_rank() == 0)
        for (int w = 0; w < NW; ++w) tot += perWarp[w];
    return tot;
}

__global__ void parziali(const double* x, const double* y, double* p, long n)
{
    double v = 0.0;
    long passo = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        v += x[i] * y[i];
    double s = sommaBlocco(cg::this_thread_block(), v);
    if (threadIdx.x == 0) p[blockIdx.x] = s;
}

__global__ void finale(const double* p, double* r, int quanti)
{
    double v = 0.0;
    for (int i = threadIdx.x; i < quanti; i += blockDim.x) v += p[i];
    double s = sommaBlocco(cg::this_thread_block(), v);
    if (threadIdx.x == 0) *r = s;
}

int main(int argc, char** argv)
{
    long n = (argc > 1) ? atol(argv[1]) : 3000001L;
    if (n < 1) { std::puts("n deve essere positivo"); return 1; }

    std::vector<double> x(n), y(n);
    double atteso = 0.0;
    for (long i = 0; i < n; ++i) {
        x[i] = std::sin(0.001 * i);
        y[i] = 1.0 / (1.0 + i % 17);
        atteso += x[i] * y[i];
    }

    long serve = (n + NT - 1) / NT;
    int blocchi = serve < 1000 ? (int)serve : 1000;

    double *dx, *dy, *dp, *dr;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dp, blocchi * sizeof(double));
    cudaMalloc(&dr, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    parziali<<<blocchi, NT>>>(dx, dy, dp, n);
    finale<<<1, NT>>>(dp, dr, blocchi);

    double r = 0.0;
    cudaError_t e = cudaMemcpy(&r, dr, sizeof(double), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) { std::printf("errore: %s\n", cudaGetErrorString(e)); return 1; }

    std::printf("gpu = %.12f, cpu = %.12f, differenza = %g\n", r, atteso, std::fabs(r - atteso));
    cudaFree(dx); cudaFree(dy); cudaFree(dp); cudaFree(dr);
    return std::fabs(r - atteso) < 1e-6 ? 0 : 1;
}
