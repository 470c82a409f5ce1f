// y = A * x, gde su A i x u __half, a y u float.
// Osam niti radi jedan red; svaka nit čita po osam polovina odjednom (16 bajtova).
// Uslov: n je deljivo sa 8, pokazivači dolaze od cudaMalloc.
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct alignas(16) Half8 {
    __half2 v[4];

    __device__ float puta(const Half8& d) const
    {
        float s = 0.f;
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float2 a = __half22float2(v[q]);
            const float2 b = __half22float2(d.v[q]);
            s = fmaf(a.x, b.x, fmaf(a.y, b.y, s));
        }
        return s;
    }
};

template <int NITI_PO_REDU>
__global__ void matVek(const Half8* __restrict__ A, const Half8* __restrict__ x,
                       float* __restrict__ y, int m, int n8)
{
    const auto grupa = cg::tiled_partition<NITI_PO_REDU>(cg::this_thread_block());
    const int red = blockIdx.x * grupa.meta_group_size() + grupa.meta_group_rank();
    if (red >= m) return;                    // cela grupa izlazi zajedno

    const Half8* a = A + static_cast<size_t>(red) * n8;
    float s = 0.f;
    for (int c = grupa.thread_rank(); c < n8; c += NITI_PO_REDU)
        s += a[c].puta(x[c]);

    s = cg::reduce(grupa, s, cg::plus<float>());
    if (grupa.thread_rank() == 0) y[red] = s;
}

// m i n su pozitivni i manji od milijarde
cudaError_t pomnozi(const __half* dA, const __half* dx, float* dy, int m, int n,
                    cudaStream_t tok = nullptr)
{
    assert(n % 8 == 0);
    constexpr int NITI = 256, PO_REDU = 8, REDOVA = NITI / PO_REDU;
    matVek<PO_REDU><<<(m + REDOVA - 1) / REDOVA, NITI, 0, tok>>>(
        reinterpret_cast<const Half8*>(dA), reinterpret_cast<const Half8*>(dx), dy, m, n / 8);
    return cudaGetLastError();
}
