// Dot product of two vectors of T, one partial result per block.
//
//   dot_partials<float, 256, 4><<<blocks, 256>>>(x, y, n, partials);
//
// partials needs one element per block and every block writes its own, so it
// does not have to be initialised. The caller adds the partials. Any n >= 0
// and any number of blocks will do; ELEMS is the number of elements that a
// thread takes per round (for more loads in flight).

namespace detail {

constexpr unsigned kFull = 0xffffffffu;

template <typename T>
__device__ __forceinline__ T warp_sum(T v)
{
    #pragma unroll
    for (int mask = 16; mask >= 1; mask >>= 1)
        v += __shfl_xor_sync(kFull, v, mask);
    return v;
}

}  // namespace detail

template <typename T, int THREADS, int ELEMS>
__global__ void dot_partials(const T* __restrict__ x, const T* __restrict__ y,
                             long long n, T* __restrict__ partials)
{
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps only");
    constexpr int kWarps = THREADS / 32;
    __shared__ T warp_results[kWarps];

    constexpr long long kChunk = (long long)THREADS * ELEMS;

    T acc[ELEMS];
    #pragma unroll
    for (int e = 0; e < ELEMS; ++e)
        acc[e] = T(0);

    for (long long base = blockIdx.x * kChunk; base < n; base += gridDim.x * kChunk) {
        #pragma unroll
        for (int e = 0; e < ELEMS; ++e) {
            const long long i = base + e * THREADS + threadIdx.x;
            if (i < n)
                acc[e] += x[i] * y[i];
        }
    }

    T sum = acc[0];
    #pragma unroll
    for (int e = 1; e < ELEMS; ++e)
        sum += acc[e];

    sum = detail::warp_sum(sum);

    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (lane == 0)
        warp_results[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        sum = lane < kWarps ? warp_results[lane] : T(0);
        sum = detail::warp_sum(sum);
        if (lane == 0)
            partials[blockIdx.x] = sum;
    }
}

template __global__ void dot_partials<float, 256, 4>(const float*, const float*, long long, float*);
template __global__ void dot_partials<double, 128, 2>(const double*, const double*, long long, double*);
