// 작은 정사각 행렬 여러 개를 한꺼번에 곱하기 (D = 2, 4, 8)
// 행렬은 빈틈없이 이어져 있고 행 우선 순서이다. 개수는 임의(1 이상).
#include <cuda_runtime.h>

template <typename T, int D>
struct BlockShape {
    static constexpr int perBlock = 256 / (D * D);   // 블록 하나가 맡는 행렬 수
};

template <typename T, int D>
__global__ void batchedSmall(const T* __restrict__ a, const T* __restrict__ b,
                             T* __restrict__ c, int count)
{
    constexpr int P = BlockShape<T, D>::perBlock;
    __shared__ T sa[P][D][D];
    __shared__ T sb[P][D][D];

    const int z = threadIdx.z, r = threadIdx.y, q = threadIdx.x;
    const long long which = (long long)blockIdx.x * P + z;
    const bool live = which < count;
    const size_t pos = (size_t)which * (D * D) + r * D + q;

    if (live) {
        sa[z][r][q] = a[pos];
        sb[z][r][q] = b[pos];
    }
    __syncthreads();      // 모든 스레드가 도달한다

    if (live) {
        T sum = T(0);
#pragma unroll
        for (int k = 0; k < D; ++k)
            sum += sa[z][r][k] * sb[z][k][q];
        c[pos] = sum;
    }
}

template <typename T, int D>
static cudaError_t go(const T* a, const T* b, T* c, int count, cudaStream_t s)
{
    constexpr int P = BlockShape<T, D>::perBlock;
    const int blocks = (count - 1) / P + 1;
    batchedSmall<T, D><<<blocks, dim3(D, D, P), 0, s>>>(a, b, c, count);
    return cudaGetLastError();
}

template <typename T>
cudaError_t multiplyBatch(int d, const T* a, const T* b, T* c, int count, cudaStream_t s = 0)
{
    if (count <= 0)
        return cudaErrorInvalidValue;
    switch (d) {
    case 2: return go<T, 2>(a, b, c, count, s);
    case 4: return go<T, 4>(a, b, c, count, s);
    case 8: return go<T, 8>(a, b, c, count, s);
    default: return cudaErrorInvalidValue;
    }
}

// 수업에서 쓰는 두 자료형
template cudaError_t multiplyBatch<float>(int, const float*, const float*, float*, int, cudaStream_t);
template cudaError_t multiplyBatch<double>(int, const double*, const double*, double*, int, cudaStream_t);
