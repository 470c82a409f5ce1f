// Pistetulo: jokainen säie käsittelee ERIA peräkkäistä alkiota kerrallaan.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <typename T, int ERIA>
__global__ void pistetulo(const T* x, const T* y, T* tulos, int n)
{
    cg::thread_block lohko = cg::this_thread_block();
    cg::thread_block_tile<32> warppi = cg::tiled_partition<32>(lohko);

    extern __shared__ __align__(16) unsigned char muisti[];
    T* osat = reinterpret_cast<T*>(muisti);          // yksi luku warppia kohti

    const int askel = gridDim.x * blockDim.x * ERIA;
    T summa = T(0);
    for (int alku = (blockIdx.x * blockDim.x + threadIdx.x) * ERIA; alku < n; alku += askel) {
        #pragma unroll
        for (int e = 0; e < ERIA; ++e) {
            if (alku < n)
                summa += x[alku + e] * y[alku + e];
        }
    }

    for (int d = warppi.size() / 2; d > 0; d /= 2)
        summa += warppi.shfl_down(summa, d);
    if (warppi.thread_rank() == 0)
        osat[warppi.meta_group_rank()] = summa;
    lohko.sync();

    if (lohko.thread_rank() == 0) {
        T lopullinen = T(0);
        for (int w = 0; w < (int)warppi.meta_group_size(); ++w)
            lopullinen += osat[w];
        atomicAdd(tulos, lopullinen);
    }
}

// 1 <= n <= 10^9, tulos nollataan tässä
template <typename T>
void laske(const T* x, const T* y, T* tulos, int n)
{
    constexpr int ERIA = 4;
    const int saikeet = 160;
    const int perLohko = saikeet * ERIA;
    int lohkot = (n + perLohko - 1) / perLohko;
    if (lohkot > 400) lohkot = 400;
    cudaMemset(tulos, 0, sizeof(T));
    pistetulo<T, ERIA><<<lohkot, saikeet, (saikeet / 32) * sizeof(T)>>>(x, y, tulos, n);
}

template void laske<float>(const float*, const float*, float*, int);
template void laske<double>(const double*, const double*, double*, int);
template void laske<int>(const int*, const int*, int*, int);
