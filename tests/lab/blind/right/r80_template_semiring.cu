// Header-style generic GEMM with functors (users instantiate it in their own .cu).
//
//   gemm<float, 16>(A, B, C, m, n, k, Identity<float>(), stream)   ->  C = A*B
//
// m, n, k are arbitrary. A: m x k, B: k x n, C: m x n, row major, contiguous.
#include <cuda_runtime.h>

template <typename T>
struct Identity {
    __host__ __device__ T operator()(T v) const { return v; }
};

template <typename T>
struct Scale {
    T factor;
    __host__ __device__ T operator()(T v) const { return factor * v; }
};

template <typename T>
struct MultiplyAdd {
    __device__ __forceinline__ void operator()(T& acc, const T& x, const T& y) const { acc += x * y; }
};

template <typename T, int BS, typename Epilogue>
__global__ void gemmKernel(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C,
                           int m, int n, int k, Epilogue epilogue)
{
    static_assert(BS > 0 && BS * BS <= 1024, "bad block size");
    __shared__ T As[BS][BS];
    __shared__ T Bs[BS][BS];
    const MultiplyAdd<T> mad{};

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * BS + ty;
    const int col = blockIdx.x * BS + tx;

    auto loadA = [&](int kk) -> T { return (row < m && kk < k) ? A[row * k + kk] : T(0); };
    auto loadB = [&](int kk) -> T { return (kk < k && col < n) ? B[kk * n + col] : T(0); };

    T acc = T(0);
    for (int base = 0; base < k; base += BS) {
        As[ty][tx] = loadA(base + tx);
        Bs[ty][tx] = loadB(base + ty);
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < BS; ++i)
            mad(acc, As[ty][i], Bs[i][tx]);
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = epilogue(acc);
}

template <typename T, int BS, typename Epilogue>
inline cudaError_t gemm(const T* A, const T* B, T* C, int m, int n, int k,
                        Epilogue epilogue, cudaStream_t stream = 0)
{
    if (m <= 0 || n <= 0) return cudaSuccess;
    const dim3 block(BS, BS);
    const dim3 grid((n + BS - 1) / BS, (m + BS - 1) / BS);
    gemmKernel<T, BS, Epilogue><<<grid, block, 0, stream>>>(A, B, C, m, n, k, epilogue);
    return cudaGetLastError();
}
