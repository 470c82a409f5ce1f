// Matrix product with a tile size chosen at run time (dynamic shared memory).
// C (M x N) = A (M x K) * B (K x N), row-major, sizes are free.
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <vector>
#include <cmath>

struct CudaFree { void operator()(void* p) const { cudaFree(p); } };
template <typename T> using DevPtr = std::unique_ptr<T[], CudaFree>;

template <typename T>
DevPtr<T> toDevice(const std::vector<T>& v)
{
    T* p = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&p), v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return DevPtr<T>(p);
}

__global__ void matmulDyn(const double* A, const double* B, double* C, int M, int N, int K)
{
    extern __shared__ double smem[];
    const int tile = blockDim.x;               // the block is square
    double* sA = smem;
    double* sB = smem + tile * tile;

    const int row = blockIdx.y * tile + threadIdx.y;
    const int col = blockIdx.x * tile + threadIdx.x;
    const int me  = threadIdx.y * tile + threadIdx.x;

    double sum = 0.0;
    for (int k0 = 0; k0 < K; k0 += tile) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        sA[me] = (row < M && ka < K) ? A[row * K + ka] : 0.0;
        sB[me] = (kb < K && col < N) ? B[kb * N + col] : 0.0;
        __syncthreads();
        for (int k = 0; k < tile; ++k)
            sum += sA[threadIdx.y * tile + k] * sB[k * tile + threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

int main()
{
    const int M = 240, N = 100, K = 64;
    std::vector<double> a(M * K), b(K * N), c(M * N, 0.0);
    for (int i = 0; i < M * K; ++i) a[i] = std::sin(0.3 * i);
    for (int i = 0; i < K * N; ++i) b[i] = std::cos(0.7 * i);

    auto dA = toDevice(a), dB = toDevice(b), dC = toDevice(c);

    for (int tile : {8, 16, 32}) {
        auto ceilDiv = [tile](int v) { return (v + tile - 1) / tile; };
        dim3 block(tile, tile);
        dim3 grid(ceilDiv(M), ceilDiv(N));
        size_t bytes = 2 * tile * tile * sizeof(double);
        cudaMemset(dC.get(), 0, c.size() * sizeof(double));
        matmulDyn<<<grid, block, bytes>>>(dA.get(), dB.get(), dC.get(), M, N, K);
        cudaMemcpy(c.data(), dC.get(), c.size() * sizeof(double), cudaMemcpyDeviceToHost);

        double total = 0;
        for (double v : c) total += v;
        std::printf("tile %2d: sum of C = %.10f\n", tile, total);
    }
    return 0;
}
