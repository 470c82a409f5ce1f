// gemm "TN": C (m x n) = transpose(A) * B
//   A is stored as a k x m row-major array, B as k x n, C as m x n.
#include <cuda_runtime.h>
#include <cstddef>

template <typename T, int TS>
__global__ void gemmTN(T* C, const T* A, const T* B, int m, int n, int k)
{
    __shared__ T tileA[TS][TS];
    __shared__ T tileB[TS][TS];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i0 = blockIdx.y * TS;
    int j0 = blockIdx.x * TS;

    T sum = T(0);
    int steps = (k + TS - 1) / TS;
    for (int s = 0; s < steps; ++s) {
        int kk = s * TS + ty;
        if (kk < k && i0 + tx < m)
            tileA[ty][tx] = A[(size_t)kk * k + i0 + tx];
        else
            tileA[ty][tx] = T(0);
        if (kk < k && j0 + tx < n)
            tileB[ty][tx] = B[(size_t)kk * n + j0 + tx];
        else
            tileB[ty][tx] = T(0);
        __syncthreads();

        for (int q = 0; q < TS; ++q)
            sum += tileA[q][ty] * tileB[q][tx];
        __syncthreads();
    }

    int i = i0 + ty, j = j0 + tx;
    if (i < m && j < n)
        C[(size_t)i * n + j] = sum;
}

template <typename T>
cudaError_t runTN(T* C, const T* A, const T* B, int m, int n, int k)
{
    constexpr int TS = sizeof(T) == 8 ? 16 : 32;
    dim3 threads(TS, TS);
    dim3 blocks((n + TS - 1) / TS, (m + TS - 1) / TS);
    gemmTN<T, TS><<<blocks, threads>>>(C, A, B, m, n, k);
    return cudaGetLastError();
}

template cudaError_t runTN<float>(float*, const float*, const float*, int, int, int);
template cudaError_t runTN<double>(double*, const double*, const double*, int, int, int);
