// C = A * B^H for complex matrices (conjugate transpose of B), generic real type.
// A: m x k, B: n x k, C: m x n, all row-major and packed, any sizes >= 1.
#include <cuda_runtime.h>
#include <complex>
#include <iostream>
#include <stdexcept>
#include <vector>

template <typename R>
struct Complex {
    R re, im;
};

template <typename R>
__host__ __device__ inline Complex<R> operator+(Complex<R> a, Complex<R> b)
{
    return {a.re + b.re, a.im + b.im};
}

// a * conj(b)
template <typename R>
__host__ __device__ inline Complex<R> mulConj(Complex<R> a, Complex<R> b)
{
    return {a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}

// square blocks, the tile side is blockDim.x; shared memory: 2 * t * (t + 1) elements
template <typename R>
__global__ void gemm_abh(const Complex<R>* A, const Complex<R>* B, Complex<R>* C,
                         int m, int n, int k)
{
    extern __shared__ __align__(16) unsigned char raw[];
    const int t = blockDim.x;
    const int ld = t + 1;
    Complex<R>* sA = reinterpret_cast<Complex<R>*>(raw);
    Complex<R>* sB = sA + t * ld;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * t + ty;
    const int col = blockIdx.x * t + tx;
    const int brow = blockIdx.x * t + ty;      // the row of B that this thread loads
    const Complex<R> zero = {R(0), R(0)};

    Complex<R> sum = zero;
    for (int k0 = 0; k0 < k; k0 += t) {
        const int kk = k0 + tx;
        sA[ty * ld + tx] = (row < m && kk < k) ? A[(size_t)row * k + kk] : zero;
        sB[ty * ld + tx] = (brow < n && kk < k) ? B[(size_t)brow * k + kk] : zero;
        __syncthreads();
        for (int p = 0; p < t; ++p)
            sum = sum + mulConj(sA[ty * ld + p], sB[tx * ld + p]);
        __syncthreads();
    }
    if (row < m && col < n)
        C[(size_t)row * n + col] = sum;
}

inline void cudaDo(cudaError_t e, const char* what)
{
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

// std::complex<R> and Complex<R> have the same layout (re, im)
template <typename R>
std::vector<std::complex<R>> multiplyABH(const std::vector<std::complex<R>>& A,
                                         const std::vector<std::complex<R>>& B,
                                         int m, int n, int k, int tile = 8)
{
    if (tile < 1 || tile > 32)
        throw std::invalid_argument("tile must be in 1..32");
    if (A.size() != size_t(m) * k || B.size() != size_t(n) * k)
        throw std::invalid_argument("wrong operand size");

    using Z = Complex<R>;
    std::vector<std::complex<R>> C(size_t(m) * n);
    Z *dA, *dB, *dC;
    cudaDo(cudaMalloc(&dA, A.size() * sizeof(Z)), "malloc A");
    cudaDo(cudaMalloc(&dB, B.size() * sizeof(Z)), "malloc B");
    cudaDo(cudaMalloc(&dC, C.size() * sizeof(Z)), "malloc C");
    cudaDo(cudaMemcpy(dA, A.data(), A.size() * sizeof(Z), cudaMemcpyHostToDevice), "copy A");
    cudaDo(cudaMemcpy(dB, B.data(), B.size() * sizeof(Z), cudaMemcpyHostToDevice), "copy B");

    const dim3 block(tile, tile);
    const dim3 grid((n + tile - 1) / tile, (m + tile - 1) / tile);
    const size_t shmem = 2 * size_t(tile) * (tile + 1) * sizeof(Z);   // at most 33 KB
    gemm_abh<R><<<grid, block, shmem>>>(dA, dB, dC, m, n, k);
    cudaDo(cudaGetLastError(), "launch");

    cudaDo(cudaMemcpy(C.data(), dC, C.size() * sizeof(Z), cudaMemcpyDeviceToHost), "copy C");
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return C;
}

template std::vector<std::complex<float>> multiplyABH<float>(
    const std::vector<std::complex<float>>&, const std::vector<std::complex<float>>&, int, int, int, int);
template std::vector<std::complex<double>> multiplyABH<double>(
    const std::vector<std::complex<double>>&, const std::vector<std::complex<double>>&, int, int, int, int);
