#include <cuda_runtime.h>

// Each thread: one element of A*B.  A warp covers 2 rows of 16 columns, so the
// right neighbour is lane^1 and the lower neighbour is lane^16.
#define ALL 0xffffffffu

template <typename T>
__global__ void sum2x2(const T *A, const T *B, T *C, int m, int n, int k)
{
    const int TW = 16;
    __shared__ T As[TW][TW + 1], Bs[TW][TW + 1];

    const int M2 = 2 * m, N2 = 2 * n;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * TW + ty, c = blockIdx.x * TW + tx;

    T acc = T(0);
    for (int k0 = 0; k0 < k; k0 += TW) {
        As[ty][tx] = (r < M2 && k0 + tx < k) ? A[r * k + k0 + tx] : T(0);
        Bs[ty][tx] = (c < N2 && k0 + ty < k) ? B[(k0 + ty) * N2 + c] : T(0);
        __syncthreads();
        for (int e = 0; e < TW; ++e) acc += As[ty][e] * Bs[e][tx];
        __syncthreads();
    }

    acc += __shfl_xor_sync(ALL, acc, 1);
    acc += __shfl_xor_sync(ALL, acc, 16);

    if (((tx | ty) & 1) == 0 && r < M2 && c < N2)
        C[(r >> 1) * n + (c >> 1)] = acc;
}

template <typename T>
cudaError_t reducedProduct(const T *A, const T *B, T *C, int m, int n, int k)
{
    dim3 block(16, 16);
    dim3 grid((2 * n + 15) / 16, (2 * m + 15) / 16);
    sum2x2<T><<<grid, block>>>(A, B, C, m, n, k);
    return cudaGetLastError();
}

template cudaError_t reducedProduct<float>(const float *, const float *, float *, int, int, int);
template cudaError_t reducedProduct<double>(const double *, const double *, double *, int, int, int);
