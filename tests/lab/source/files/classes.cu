// A class of the host's around the kernel, a struct that both sides use, a functor, and a host-only template.
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace linalg {

struct Shape {
    int rows, cols;
    Shape(int r, int c) : rows(r), cols(c) {}
    Shape() = default;
    __host__ __device__ int size() const { return rows * cols; }
    std::string text() const { return std::to_string(rows) + "x" + std::to_string(cols); }
    static Shape square(int n);
    friend std::ostream& operator<<(std::ostream& out, const Shape& s) { return out << s.text(); }
};

template <typename T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(size_t n) : n_(n) { if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error("cudaMalloc"); }
    ~DeviceBuffer() { cudaFree(data_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    T* get() { return data_; }
private:
    T* data_ = nullptr;
    size_t n_;
};

struct Scale {
    float factor;
    __device__ float operator()(float x) const { return factor * x; }
};

template <typename F>
__global__ void apply(float* data, Shape shape, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < shape.size())
        data[i] = f(data[i]);
}

}  // namespace linalg

using namespace linalg;

template <typename T>
std::vector<T> fetch(DeviceBuffer<T>& buffer, size_t n)
{
    std::vector<T> host(n);
    cudaMemcpy(host.data(), buffer.get(), n * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
}

int main()
{
    try {
        Shape shape(20, 30);
        std::unique_ptr<DeviceBuffer<float>> buffer(new DeviceBuffer<float>(shape.size()));
        auto blocks = [](int n, int b) { return (n + b - 1) / b; };
        apply<Scale><<<blocks(600, 128), 128>>>(buffer->get(), shape, Scale{2.0f});
        for (auto& x : fetch(*buffer, shape.size())) std::cout << x << '\n';
    } catch (const std::exception& e) {
        std::cerr << R"(it "failed": )" << e.what() << std::endl;
        return 1;
    }
}
