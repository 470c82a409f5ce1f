// Byte histogram with one private copy per block.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

using Count = unsigned int;      // fewer than 2^32 bytes
constexpr int kBins = 256;

__global__ void histogram(const std::uint8_t* data, std::size_t size, Count* bins)
{
    __shared__ Count local[kBins];
    for (int b = threadIdx.x; b < kBins; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    const std::size_t step = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < kBins; b += blockDim.x)
        if (local[b] != 0)
            atomicAdd(&bins[b], local[b]);
}

struct DeviceBuffer {
    void* p = nullptr;
    explicit DeviceBuffer(std::size_t bytes) { if (cudaMalloc(&p, bytes) != cudaSuccess) p = nullptr; }
    ~DeviceBuffer() { cudaFree(p); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    template <class T> T* as() const { return static_cast<T*>(p); }
};

int main()
{
    std::vector<std::uint8_t> text(1'000'003);
    std::vector<Count> want(kBins, 0), got(kBins, 0);
    std::uint32_t seed = 12345;
    for (auto& c : text) {
        seed = seed * 1664525u + 1013904223u;
        c = std::uint8_t(seed >> 24);
        ++want[c];
    }

    DeviceBuffer dText(text.size()), dBins(kBins * sizeof(Count));
    if (!dText.p || !dBins.p) return 2;
    cudaMemcpy(dText.p, text.data(), text.size(), cudaMemcpyHostToDevice);
    cudaMemset(dBins.p, 0, kBins * sizeof(Count));

    histogram<<<80, 192>>>(dText.as<std::uint8_t>(), text.size(), dBins.as<Count>());

    if (cudaMemcpy(got.data(), dBins.p, kBins * sizeof(Count), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    std::puts(got == want ? "histogram ok" : "histogram WRONG");
    return got == want ? 0 : 1;
}
