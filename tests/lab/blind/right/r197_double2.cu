#include <cuda_runtime.h>

// C (M x N) = A (M x K) * B, where B is handed over transposed (Bt: N x K).
// K has to be even, both rows are read as double2.
__device__ __forceinline__ double dot2(double2 u, double2 v)
{
    return u.x * v.x + u.y * v.y;
}

__global__ void __launch_bounds__(128)
gemmDouble2(double *C, const double2 *A, const double2 *Bt, int M, int N, int K)
{
    const int K2 = K >> 1;
    const int total = M * N;
    // 1-D grid, 128 threads in a block
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const int i = e / N;
    const int j = e - i * N;

    const double2 *ra = A + i * K2;
    const double2 *rb = Bt + j * K2;
    double s0 = 0.0, s1 = 0.0;
    int k = 0;
    for (; k + 1 < K2; k += 2) {
        s0 += dot2(ra[k], rb[k]);
        s1 += dot2(ra[k + 1], rb[k + 1]);
    }
    if (k < K2) s0 += dot2(ra[k], rb[k]);
    C[e] = s0 + s1;
}

void gemm(double *C, const double *A, const double *Bt, int M, int N, int K)
{
    int blocks = (M * N + 127) / 128;
    gemmDouble2<<<blocks, 128>>>(C, reinterpret_cast<const double2 *>(A),
                                 reinterpret_cast<const double2 *>(Bt), M, N, K);
}
