// Dot product: the GPU makes one partial sum per block, the host adds them.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CUDA_OK(x)                                                         \
    {                                                                      \
        auto status = (x);                                                 \
        if (status != cudaSuccess) {                                       \
            std::printf("%s failed: %s\n", #x, cudaGetErrorString(status)); \
            std::exit(1);                                                  \
        }                                                                  \
    }

template <typename T>
class GpuVector {
    T* ptr_{nullptr};
    size_t n_;

public:
    explicit GpuVector(size_t n) : n_(n) { CUDA_OK(cudaMalloc(&ptr_, n * sizeof(T))); }
    explicit GpuVector(const std::vector<T>& h) : GpuVector(h.size())
    {
        CUDA_OK(cudaMemcpy(ptr_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    GpuVector(const GpuVector&) = delete;
    GpuVector& operator=(const GpuVector&) = delete;
    ~GpuVector() { cudaFree(ptr_); }

    T* get() { return ptr_; }
    std::vector<T> toHost() const
    {
        std::vector<T> h(n_);
        CUDA_OK(cudaMemcpy(h.data(), ptr_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
};

constexpr int THREADS = 256;

template <typename T>
__global__ void dotPartial(const T* x, const T* y, T* out, size_t n)
{
    __shared__ T cache[THREADS];
    T sum = 0;
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS)
        sum += x[i] * y[i];
    cache[threadIdx.x] = sum;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = cache[0];
}

template <typename T>
T dot(const std::vector<T>& x, const std::vector<T>& y)
{
    const size_t n = x.size();
    const int blocks = (int)std::min<size_t>(64, (n + THREADS - 1) / THREADS);
    GpuVector<T> dx(x), dy(y), dp(blocks);
    dotPartial<T><<<blocks, THREADS>>>(dx.get(), dy.get(), dp.get(), n);
    CUDA_OK(cudaGetLastError());
    const std::vector<T> partial = dp.toHost();
    return std::accumulate(partial.begin(), partial.end(), 0);
}

int main()
{
    // first a case whose answer is known by heart: 1*2 + 1*2 + ...
    std::vector<double> ones(100000, 1.0), twos(100000, 2.0);
    std::printf("expected 200000, got %.6f\n", dot(ones, twos));

    std::mt19937_64 rng(42);
    std::normal_distribution<double> gauss;
    for (size_t n : {10u, 1000u, 100000u, 3000001u}) {
        std::vector<double> x(n), y(n);
        for (size_t i = 0; i < n; ++i) { x[i] = gauss(rng); y[i] = gauss(rng); }
        const double gpu = dot(x, y);
        const double cpu = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
        std::printf("n = %9zu   gpu % .12e   cpu % .12e   rel %.1e\n", n, gpu, cpu,
                    std::fabs(gpu - cpu) / std::fabs(cpu));
    }
    return 0;
}
