// C = alpha * A * B + beta * C in integers: A, B int8, C int32.
//   A: m x k, row-major, dense.   B: k x n, column-major, dense (so column j is contiguous).
//   C: m x n, row-major.
// k must be a multiple of 4 and A, B 4-byte aligned (any cudaMalloc pointer is).
// Launch: 1-D, any grid and block size (grid-stride loop).
#include <cstdint>
#include <cuda_runtime.h>

__device__ inline int dot_packed(const int *p, const int *q, int words)
{
    int s = 0;
    for (int w = 0; w < words; ++w)
        s = __dp4a(p[w], q[w], s);
    return s;
}

__global__ void igemm_dp4a(int m, int n, int k, int alpha,
                           const int8_t *__restrict__ A, const int8_t *__restrict__ B,
                           int beta, int32_t *__restrict__ C)
{
    const int words = k / 4;
    const int *Aw = reinterpret_cast<const int *>(A);
    const int *Bw = reinterpret_cast<const int *>(B);

    auto rowOf = [=](int i) { return Aw + (size_t)i * words; };
    auto colOf = [=](int j) { return Bw + (size_t)j * words; };

    const size_t total = (size_t)m * n;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < total; e += stride) {
        int i = (int)(e / n);
        int j = (int)(e % n);
        int d = dot_packed(rowOf(i), colOf(j), words);
        C[e] = alpha * d + beta * C[e];
    }
}
