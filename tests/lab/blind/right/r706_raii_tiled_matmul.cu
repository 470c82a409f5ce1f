// Matrix multiplication, C++17 style. nvcc -std=c++17
// I learned CUDA from blog posts, so I wrapped everything in small classes.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>

template <typename T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(size_t n) : count_(n) { cudaMalloc(reinterpret_cast<void**>(&ptr_), n * sizeof(T)); }
    explicit DeviceBuffer(const std::vector<T>& v) : DeviceBuffer(v.size()) {
        cudaMemcpy(ptr_, v.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() { cudaFree(ptr_); }
    T* get() const { return ptr_; }
    std::vector<T> download() const {
        std::vector<T> v(count_);
        cudaMemcpy(v.data(), ptr_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
private:
    T* ptr_ = nullptr;
    size_t count_ = 0;
};

// C (M x N) = A (M x K) * B (K x N), all row-major, any positive sizes
template <typename T, int TILE>
__global__ void matmul(const T* A, const T* B, T* C, int M, int N, int K) {
    __shared__ T sA[TILE][TILE];
    __shared__ T sB[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    T sum = T(0);
    for (int k0 = 0; k0 < K; k0 += TILE) {
        sA[ty][tx] = (row < M && k0 + tx < K) ? A[size_t(row) * K + k0 + tx] : T(0);
        sB[ty][tx] = (col < N && k0 + ty < K) ? B[size_t(k0 + ty) * N + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[size_t(row) * N + col] = sum;
}

int main() {
    constexpr int TILE = 16;
    const int M = 173, N = 95, K = 211;

    std::mt19937 rng(42);
    std::uniform_real_distribution<float> dist(-1.f, 1.f);
    std::vector<float> a(size_t(M) * K), b(size_t(K) * N);
    for (auto& v : a) v = dist(rng);
    for (auto& v : b) v = dist(rng);

    DeviceBuffer<float> dA(a), dB(b), dC(size_t(M) * N);
    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul<float, TILE><<<grid, block>>>(dA.get(), dB.get(), dC.get(), M, N, K);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        std::printf("CUDA: %s\n", cudaGetErrorString(err));
        return EXIT_FAILURE;
    }

    auto c = dC.download();
    float worst = 0.f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double ref = 0;
            for (int k = 0; k < K; ++k) ref += double(a[i * K + k]) * b[k * N + j];
            worst = std::fmax(worst, std::fabs(float(ref) - c[i * N + j]));
        }
    std::printf("max error %g -> %s\n", worst, worst < 1e-3f ? "ok" : "BAD");
}
