// Produs scalar cu cooperative groups la nivel de bloc.
// Fiecare bloc lasa o suma partiala in partial[blockIdx.x]; al doilea nucleu,
// pornit cu un singur bloc, aduna sumele partiale in *rezultat.
//
//   sumePartiale<double, 4><<<blocuri, 256>>>(x, y, partial, n);
//   adunaPartiale<double><<<1, 256>>>(partial, blocuri, rezultat);
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int FIRE = 256;
constexpr int MAX_GRUPURI = FIRE / 32;

// Suma pe tot blocul; rezultatul este valabil in firul 0.
template <typename T>
__device__ T sumaBloc(cg::thread_block bloc, T v)
{
    __shared__ T dinGrup[MAX_GRUPURI];
    auto grup = cg::tiled_partition<32>(bloc);
    v = cg::reduce(grup, v, cg::plus<T>());
    if (grup.thread_rank() == 0)
        dinGrup[grup.meta_group_rank()] = v;
    bloc.sync();

    T total = T(0);
    if (bloc.thread_rank() == 0)
        for (unsigned g = 0; g < grup.meta_group_size(); ++g)
            total += dinGrup[g];
    return total;
}

// Fiecare fir citeste pana la PE_FIR elemente, la distanta FIRE unul de altul.
template <typename T, int PE_FIR>
__global__ void sumePartiale(const T *x, const T *y, T *partial, long long n)
{
    cg::thread_block bloc = cg::this_thread_block();
    const long long pas = (long long)gridDim.x * FIRE * PE_FIR;

    T s = T(0);
    for (long long baza = (long long)blockIdx.x * FIRE * PE_FIR; baza < n; baza += pas) {
#pragma unroll
        for (int e = 0; e < PE_FIR; ++e) {
            const long long i = baza + (long long)e * FIRE + threadIdx.x;
            if (i < n)
                s += x[i] * y[i];
        }
    }
    const T total = sumaBloc(bloc, s);
    if (bloc.thread_rank() == 0)
        partial[blockIdx.x] = total;
}

template <typename T>
__global__ void adunaPartiale(const T *partial, int cate, T *rezultat)
{
    cg::thread_block bloc = cg::this_thread_block();
    T s = T(0);
    for (int i = threadIdx.x; i < cate; i += FIRE)
        s += partial[i];
    const T total = sumaBloc(bloc, s);
    if (bloc.thread_rank() == 0)
        *rezultat = total;
}

template __global__ void sumePartiale<double, 4>(const double *, const double *, double *, long long);
template __global__ void sumePartiale<float, 8>(const float *, const float *, float *, long long);
template __global__ void adunaPartiale<double>(const double *, int, double *);
template __global__ void adunaPartiale<float>(const float *, int, float *);
