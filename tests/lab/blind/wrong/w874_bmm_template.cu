#include <cuda_runtime.h>

// bmm: C[z] = A[z] * B[z], z = 0 .. gridDim.z - 1, packed row-major batches
template <typename T, int TS>
__global__ void bmm(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C,
                    int M, int N, int K)
{
    __shared__ T sa[TS][TS + 1], sb[TS][TS + 1];
    const size_t z = blockIdx.z;
    A += z * M * K;
    B += z * M * K;
    C += z * M * N;

    const int r = blockIdx.y * TS + threadIdx.y, c = blockIdx.x * TS + threadIdx.x;
    T acc = T(0);
    for (int k0 = 0; k0 < K; k0 += TS) {
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = r < M && ka < K ? A[(size_t)r * K + ka] : T(0);
        sb[threadIdx.y][threadIdx.x] = kb < K && c < N ? B[(size_t)kb * N + c] : T(0);
        __syncthreads();
        for (int k = 0; k < TS; ++k) acc += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (r < M && c < N) C[(size_t)r * N + c] = acc;
}

template <typename T>
void bmm_launch(const T* A, const T* B, T* C, int batch, int M, int N, int K, cudaStream_t st = 0)
{
    constexpr int TS = sizeof(T) == 8 ? 16 : 32;
    const dim3 g((N + TS - 1) / TS, (M + TS - 1) / TS, batch), b(TS, TS);
    bmm<T, TS><<<g, b, 0, st>>>(A, B, C, M, N, K);
}

template void bmm_launch<float>(const float*, const float*, float*, int, int, int, int, cudaStream_t);
template void bmm_launch<double>(const double*, const double*, double*, int, int, int, int, cudaStream_t);
