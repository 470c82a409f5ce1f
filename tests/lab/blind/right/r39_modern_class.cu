// C++17 version: RAII buffer, class that launches, if constexpr for the boundary checks
#include <cstdio>
#include <vector>
#include <stdexcept>
#include <string>
#include <cmath>
#include <cuda_runtime.h>

inline void ck(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e));
}

template <class T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(std::size_t count) : count_(count) { ck(cudaMalloc(&ptr_, count * sizeof(T))); }
    ~DeviceBuffer() { cudaFree(ptr_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    void upload(const std::vector<T>& v) { ck(cudaMemcpy(ptr_, v.data(), count_ * sizeof(T), cudaMemcpyHostToDevice)); }
    void download(std::vector<T>& v) const { ck(cudaMemcpy(v.data(), ptr_, count_ * sizeof(T), cudaMemcpyDeviceToHost)); }
    T* get() const { return ptr_; }

private:
    T* ptr_ = nullptr;
    std::size_t count_;
};

template <int Tile, bool Checked>
__global__ void tiledProduct(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float ta[Tile][Tile];
    __shared__ float tb[Tile][Tile];
    const int r = blockIdx.y * Tile + threadIdx.y;
    const int q = blockIdx.x * Tile + threadIdx.x;
    float sum{};

    for (int k0 = 0; k0 < k; k0 += Tile) {
        const int ka = k0 + static_cast<int>(threadIdx.x);
        const int kb = k0 + static_cast<int>(threadIdx.y);
        if constexpr (Checked) {
            ta[threadIdx.y][threadIdx.x] = r < m && ka < k ? a[r * k + ka] : 0.f;
            tb[threadIdx.y][threadIdx.x] = kb < k && q < n ? b[kb * n + q] : 0.f;
        } else {
            ta[threadIdx.y][threadIdx.x] = a[r * k + ka];
            tb[threadIdx.y][threadIdx.x] = b[kb * n + q];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Tile; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if constexpr (Checked) {
        if (r >= m || q >= n) return;
    }
    c[r * n + q] = sum;
}

class Multiplier {
public:
    Multiplier(int m, int n, int k) : m_(m), n_(n), k_(k) {}

    void operator()(const float* a, const float* b, float* c) const
    {
        const dim3 block(kTile, kTile);
        const dim3 grid(divUp(n_), divUp(m_));
        // the fast version is only allowed if nothing sticks out
        if (m_ % kTile == 0 && n_ % kTile == 0 && k_ % kTile == 0)
            tiledProduct<kTile, false><<<grid, block>>>(a, b, c, m_, n_, k_);
        else
            tiledProduct<kTile, true><<<grid, block>>>(a, b, c, m_, n_, k_);
        ck(cudaGetLastError());
    }

private:
    static constexpr int kTile = 16;
    static unsigned divUp(int x) { return static_cast<unsigned>((x + kTile - 1) / kTile); }
    int m_, n_, k_;
};

bool test(int m, int n, int k)
{
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = float(i % 19) * 0.05f;
    for (int i = 0; i < k * n; ++i) b[i] = float(i % 23) * 0.05f;
    DeviceBuffer<float> da(a.size()), db(b.size()), dc(c.size());
    da.upload(a);
    db.upload(b);
    Multiplier mul(m, n, k);
    mul(da.get(), db.get(), dc.get());
    dc.download(c);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int l = 0; l < k; ++l) s += a[i * k + l] * b[l * n + j];
            if (!(std::fabs(s - c[i * n + j]) <= 1e-2f)) return false;
        }
    return true;
}

int main()
{
    try {
        const bool ok = test(128, 96, 64) && test(101, 55, 87);
        std::puts(ok ? "OK" : "BAD");
        return ok ? 0 : 1;
    } catch (const std::exception& e) {
        std::puts(e.what());
        std::puts("BAD");
        return 1;
    }
}
