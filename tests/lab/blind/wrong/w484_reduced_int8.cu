// Reduced product of int8 matrices, int32 result:
//   C[i][j] = sum over k of (A[2i][k]+A[2i+1][k]) * (B[k][2j]+B[k][2j+1])
// A: M x K, B: K x N, C: M/2 x N/2.  M, N even; entries use the full int8 range.
// Launch: block (16,16), grid (ceil(N/2/16), ceil(M/2/16)).
#include <cstdint>
#include <cuda_runtime.h>

constexpr int S = 16;

template <typename SumA, typename SumB>
struct Stage {
    SumA a[S][S];
    SumB b[S][S];
};

__global__ void reduced_i8(const int8_t* __restrict__ A, const int8_t* __restrict__ B,
                           int32_t* __restrict__ C, int M, int N, int K)
{
    __shared__ Stage<int16_t, int8_t> st;

    const int hm = M / 2;
    const int hn = N / 2;
    const int i = blockIdx.y * S + threadIdx.y;
    const int j = blockIdx.x * S + threadIdx.x;
    int32_t acc = 0;

    for (int k0 = 0; k0 < K; k0 += S) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        int va = 0, vb = 0;

        if (i < hm && ka < K)
            va = A[(size_t)(2 * i) * K + ka] + A[(size_t)(2 * i + 1) * K + ka];
        if (j < hn && kb < K)
            vb = B[(size_t)kb * N + 2 * j] + B[(size_t)kb * N + 2 * j + 1];

        st.a[threadIdx.y][threadIdx.x] = va;
        st.b[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

        for (int q = 0; q < S; ++q)
            acc += int32_t(st.a[threadIdx.y][q]) * int32_t(st.b[q][threadIdx.x]);
        __syncthreads();
    }

    if (i < hm && j < hn)
        C[(size_t)i * hn + j] = acc;
}
