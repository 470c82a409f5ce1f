// C = A^T * B  for the least-squares homework (normal equations).
//
//   A : K x M, row-major  (so A^T is M x K)
//   B : K x N, row-major
//   C : M x N, row-major
//
// Launch with   dim3 block(TS, TS);
//               dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
//               matmul_tn<float, 16><<<grid, block>>>(A, B, C, M, N, K);
// Any M, N, K > 0.

#include <cuda_runtime.h>

template <typename T, int TS>
__global__ void matmul_tn(const T *A, const T *B, T *C, int M, int N, int K)
{
    // both tiles are stored with k as the first index, so both loads are coalesced
    __shared__ T As[TS][TS];
    __shared__ T Bs[TS][TS];

    int m0 = blockIdx.y * TS;
    int n0 = blockIdx.x * TS;
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    T acc = T(0);

    for (int k0 = 0; k0 < K; k0 += TS) {
        int k = k0 + ty;

        if (k < K && m0 + tx < M)
            As[ty][tx] = A[(size_t)k * M + m0 + tx];
        else
            As[ty][tx] = T(0);

        if (k < K && n0 + tx < N)
            Bs[ty][tx] = B[(size_t)k * N + n0 + tx];
        else
            Bs[ty][tx] = T(0);

        __syncthreads();

        for (int kk = 0; kk < TS; ++kk)
            acc += As[kk][ty] * Bs[kk][tx];

        __syncthreads();
    }

    int row = m0 + ty;
    int col = n0 + tx;
    if (row < M && col < N)
        C[(size_t)row * N + col] = acc;
}

template __global__ void matmul_tn<float, 16>(const float *, const float *, float *, int, int, int);
template __global__ void matmul_tn<double, 8>(const double *, const double *, double *, int, int, int);
