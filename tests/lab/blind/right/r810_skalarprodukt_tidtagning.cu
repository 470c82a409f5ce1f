// Skalärprodukt i dubbel precision. Varje tråd tar fyra element, varje block
// lämnar en delsumma och resten summeras på värddatorn. Med tidtagning.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

static void kolla(cudaError_t fel, const char* vad)
{
    if (fel != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", vad, cudaGetErrorString(fel));
        std::exit(1);
    }
}

template <int BLOCK, int PER_TRAD>
__global__ void __launch_bounds__(BLOCK)
skalar(const double* __restrict__ a, const double* __restrict__ b,
       double* __restrict__ delsumma, size_t n)
{
    static_assert(BLOCK % 32 == 0 && BLOCK <= 1024);
    constexpr int WARPAR = BLOCK / 32;
    __shared__ double s[WARPAR];

    const auto produkt = [=](size_t i) { return i < n ? a[i] * b[i] : 0.0; };
    const auto warpsumma = [](double v) {
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
        return v;
    };

    const size_t start = size_t(blockIdx.x) * BLOCK * PER_TRAD + threadIdx.x;
    double v = 0.0;
#pragma unroll
    for (int u = 0; u < PER_TRAD; ++u) v += produkt(start + u * BLOCK);

    v = warpsumma(v);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();

    if (threadIdx.x < 32) {
        v = warpsumma(threadIdx.x < WARPAR ? s[threadIdx.x] : 0.0);
        if (threadIdx.x == 0) delsumma[blockIdx.x] = v;
    }
}

int main(int argc, char** argv)
{
    constexpr int BLOCK = 256, PER_TRAD = 4;
    const long long onskat = argc > 1 ? std::atoll(argv[1]) : 1000003;
    if (onskat < 1 || onskat > 400000000) { std::puts("1 <= n <= 400000000"); return 1; }

    const size_t n = onskat;
    const size_t block = (n + BLOCK * PER_TRAD - 1) / (BLOCK * PER_TRAD);
    std::vector<double> a(n), b(n), del(block);
    for (size_t i = 0; i < n; ++i) { a[i] = 1.0 / (i + 1); b[i] = i % 2 ? -1.0 : 1.0; }

    double *da, *db, *dd;
    kolla(cudaMalloc(&da, n * sizeof(double)), "malloc a");
    kolla(cudaMalloc(&db, n * sizeof(double)), "malloc b");
    kolla(cudaMalloc(&dd, block * sizeof(double)), "malloc del");
    kolla(cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice), "kopiera a");
    kolla(cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice), "kopiera b");

    cudaEvent_t t0, t1;
    kolla(cudaEventCreate(&t0), "event");
    kolla(cudaEventCreate(&t1), "event");
    kolla(cudaEventRecord(t0), "record");
    skalar<BLOCK, PER_TRAD><<<unsigned(block), BLOCK>>>(da, db, dd, n);
    kolla(cudaGetLastError(), "start");
    kolla(cudaEventRecord(t1), "record");
    kolla(cudaEventSynchronize(t1), "synk");
    float ms = 0.f;
    kolla(cudaEventElapsedTime(&ms, t0, t1), "tid");

    kolla(cudaMemcpy(del.data(), dd, block * sizeof(double), cudaMemcpyDeviceToHost), "hamta");
    const double gpu = std::accumulate(del.begin(), del.end(), 0.0);
    const double cpu = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    std::printf("n=%zu gpu=%.15f cpu=%.15f diff=%g tid=%.3f ms\n",
                n, gpu, cpu, std::fabs(gpu - cpu), ms);

    cudaEventDestroy(t0);
    cudaEventDestroy(t1);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dd);
    return 0;
}
