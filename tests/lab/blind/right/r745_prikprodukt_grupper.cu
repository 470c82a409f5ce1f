// Prikprodukt med cooperative groups og float4.
//
// x og y skal ligge paa adresser delelige med 16 (som cudaMalloc giver);
// n er vilkaarlig, resten efter de hele float4 tages for sig.
// Blokken er endimensionel med et multiplum af 32 traade, hoejst 1024.
// Hver blok skriver sin delsum i delsummer[blockIdx.x]; vaerten laegger sammen.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ inline float prik4(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void prikprodukt(const float *x, const float *y, float *delsummer, size_t n)
{
    cg::thread_block blok = cg::this_thread_block();
    cg::thread_block_tile<32> flise = cg::tiled_partition<32>(blok);

    __shared__ float fliseSum[32];

    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    const float4 *y4 = reinterpret_cast<const float4 *>(y);
    const size_t hele = n / 4;
    const size_t nummer = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t spring = (size_t)gridDim.x * blockDim.x;

    float sum = 0.0f;
    for (size_t i = nummer; i < hele; i += spring)
        sum += prik4(x4[i], y4[i]);

    // de sidste nul til tre elementer
    const size_t rest = hele * 4 + nummer;
    if (rest < n)
        sum += x[rest] * y[rest];

    sum = cg::reduce(flise, sum, cg::plus<float>());
    if (flise.thread_rank() == 0)
        fliseSum[flise.meta_group_rank()] = sum;
    blok.sync();

    if (flise.meta_group_rank() == 0) {
        float v = 0.0f;
        if (flise.thread_rank() < flise.meta_group_size())
            v = fliseSum[flise.thread_rank()];
        v = cg::reduce(flise, v, cg::plus<float>());
        if (flise.thread_rank() == 0)
            delsummer[blockIdx.x] = v;
    }
}
