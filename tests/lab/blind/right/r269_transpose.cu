// Transposing a picture with a padded tile, so that reads and writes are coalesced.
#include <cstdio>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

template <typename T>
struct DeviceArray {
    T* p = nullptr;
    size_t n;
    explicit DeviceArray(size_t count) : n(count) { cudaMalloc(&p, n * sizeof(T)); }
    ~DeviceArray() { cudaFree(p); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    void upload(const std::vector<T>& v) { cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
    void download(std::vector<T>& v) const { cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); }
};

enum { TILE = 32, STEP = 8 };

template <typename T>
__global__ void transpose(T* __restrict__ out, const T* __restrict__ in, int width, int height)
{
    __shared__ T tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += STEP)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];

    __syncthreads();

    // blocks change places: out has height columns and width rows
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += STEP)
        if (x < height && y + j < width)
            out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    const int width = 1000, height = 333;
    std::vector<short> in(width * height), out(width * height);
    for (int i = 0; i < width * height; ++i) in[i] = static_cast<short>(i % 30011);

    DeviceArray<short> d_in(in.size()), d_out(out.size());
    d_in.upload(in);

    auto ceil_div = [](int a, int b) { return (a + b - 1) / b; };
    dim3 block(TILE, STEP);
    dim3 grid(ceil_div(width, TILE), ceil_div(height, TILE));
    transpose<<<grid, block>>>(d_out.p, d_in.p, width, height);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::puts("kernel failed");
        return 1;
    }
    d_out.download(out);

    int wrong = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) wrong += in[y * width + x] != out[x * height + y];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
