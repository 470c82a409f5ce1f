// Column-major GEMM, interface modelled on BLAS:
//    gemm(m, n, k, A, lda, B, ldb, C, ldc)      C = A * B
// and a convenience function for std::vector with packed matrices of any shape.
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_THROW(x)                                                                   \
    do {                                                                                \
        cudaError_t e__ = (x);                                                          \
        if (e__ != cudaSuccess)                                                         \
            throw std::runtime_error(std::string(#x ": ") + cudaGetErrorString(e__));   \
    } while (false)

constexpr int TX = 64;   // rows of C per block, one per threadIdx.x
constexpr int TY = 4;    // thread rows
constexpr int CPT = 4;   // columns of C per thread, so 16 columns per block
constexpr int TK = 16;

template <typename T>
__global__ void gemmKernel(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc)
{
    __shared__ T As[TK][TX];
    __shared__ T Bs[TY * CPT][TK + 1];

    const int i = blockIdx.x * TX + threadIdx.x;
    const int j0 = blockIdx.y * TY * CPT;
    const int tid = threadIdx.y * TX + threadIdx.x;       // 0..255
    T acc[CPT] = {};

    for (int p0 = 0; p0 < k; p0 += TK) {
        for (int p = threadIdx.y; p < TK; p += TY)
            As[p][threadIdx.x] = (i < m && p0 + p < k) ? A[i + (size_t)(p0 + p) * lda] : T(0);

        // 16 x 16 elements of B, exactly one per thread
        const int p = tid % TK, c = tid / TK;
        Bs[c][p] = (p0 + p < k && j0 + c < n) ? B[p0 + p + (size_t)(j0 + c) * ldb] : T(0);
        __syncthreads();

        for (int q = 0; q < TK; ++q)
            for (int s = 0; s < CPT; ++s)
                acc[s] += As[q][threadIdx.x] * Bs[threadIdx.y * CPT + s][q];
        __syncthreads();
    }

    for (int s = 0; s < CPT; ++s) {
        const int j = j0 + threadIdx.y * CPT + s;
        if (i < m && j < n)
            C[i + (size_t)j * ldc] = acc[s];
    }
}

template <typename T>
void gemm(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc)
{
    dim3 block(TX, TY);
    dim3 grid((m + TX - 1) / TX, (n + TY * CPT - 1) / (TY * CPT));
    gemmKernel<T><<<grid, block>>>(m, n, k, A, lda, B, ldb, C, ldc);
    CUDA_THROW(cudaGetLastError());
}

template <typename T>
std::vector<T> multiply(const std::vector<T>& A, const std::vector<T>& B, int m, int n, int k)
{
    std::vector<T> C((size_t)m * n);
    T *dA = nullptr, *dB = nullptr, *dC = nullptr;
    CUDA_THROW(cudaMalloc(&dA, A.size() * sizeof(T)));
    CUDA_THROW(cudaMalloc(&dB, B.size() * sizeof(T)));
    CUDA_THROW(cudaMalloc(&dC, C.size() * sizeof(T)));
    CUDA_THROW(cudaMemcpy(dA, A.data(), A.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA_THROW(cudaMemcpy(dB, B.data(), B.size() * sizeof(T), cudaMemcpyHostToDevice));

    // packed matrices: the leading dimension is the matrix dimension
    gemm(m, n, k, dA, m, dB, k, dC, n);

    CUDA_THROW(cudaMemcpy(C.data(), dC, C.size() * sizeof(T), cudaMemcpyDeviceToHost));
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return C;
}

template std::vector<float> multiply(const std::vector<float>&, const std::vector<float>&, int, int, int);
template std::vector<double> multiply(const std::vector<double>&, const std::vector<double>&, int, int, int);
