// HPC lab 3 - tiled matrix product with a small owning matrix class.
// Works for every m, n, k >= 1, row-major storage, float and double.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                    \
    do {                                                                    \
        cudaError_t err_ = (call);                                          \
        if (err_ != cudaSuccess) {                                          \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,         \
                         cudaGetErrorString(err_));                         \
            std::exit(EXIT_FAILURE);                                        \
        }                                                                   \
    } while (0)

template <typename T>
class DeviceMatrix {
public:
    DeviceMatrix(int rows, int cols) : rows_(rows), cols_(cols) {
        CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
    }
    ~DeviceMatrix() { cudaFree(data_); }
    DeviceMatrix(const DeviceMatrix&) = delete;
    DeviceMatrix& operator=(const DeviceMatrix&) = delete;

    int rows() const { return rows_; }
    int cols() const { return cols_; }
    size_t bytes() const { return sizeof(T) * size_t(rows_) * size_t(cols_); }
    T* data() { return data_; }
    const T* data() const { return data_; }

    void upload(const std::vector<T>& h) {
        CUDA_CHECK(cudaMemcpy(data_, h.data(), bytes(), cudaMemcpyHostToDevice));
    }
    std::vector<T> download() const {
        std::vector<T> h(size_t(rows_) * cols_);
        CUDA_CHECK(cudaMemcpy(h.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return h;
    }

private:
    int rows_, cols_;
    T* data_ = nullptr;
};

template <typename T, int TILE>
__global__ void matmulTiled(const T* __restrict__ a, const T* __restrict__ b,
                            T* __restrict__ c, int m, int n, int k)
{
    __shared__ T sa[TILE][TILE];
    __shared__ T sb[TILE][TILE];

    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;

    T acc = T(0);
    for (int k0 = 0; k0 < k; k0 += TILE) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = (row < m && ka < k) ? a[size_t(row) * k + ka] : T(0);
        sb[threadIdx.y][threadIdx.x] = (kb < k && col < n) ? b[size_t(kb) * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            acc += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[size_t(row) * n + col] = acc;
}

template <typename T>
void multiply(const DeviceMatrix<T>& a, const DeviceMatrix<T>& b, DeviceMatrix<T>& c)
{
    constexpr int TILE = 16;
    dim3 block(TILE, TILE);
    dim3 grid((c.cols() + TILE - 1) / TILE, (c.rows() + TILE - 1) / TILE);
    matmulTiled<T, TILE><<<grid, block>>>(a.data(), b.data(), c.data(),
                                          a.rows(), b.cols(), a.cols());
    CUDA_CHECK(cudaGetLastError());
}

template <typename T>
bool test(int m, int n, int k, double tol)
{
    std::vector<T> ha(size_t(m) * k), hb(size_t(k) * n);
    for (auto& v : ha) v = T(std::rand()) / T(RAND_MAX) - T(0.5);
    for (auto& v : hb) v = T(std::rand()) / T(RAND_MAX) - T(0.5);

    DeviceMatrix<T> a(m, k), b(k, n), c(m, n);
    a.upload(ha);
    b.upload(hb);
    multiply(a, b, c);
    std::vector<T> hc = c.download();

    double worst = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0.0;
            for (int p = 0; p < k; ++p)
                ref += double(ha[size_t(i) * k + p]) * double(hb[size_t(p) * n + j]);
            worst = std::fmax(worst, std::fabs(ref - double(hc[size_t(i) * n + j])));
        }
    std::printf("%4d x %4d x %4d  max error %.3e %s\n", m, n, k, worst, worst < tol ? "ok" : "FAIL");
    return worst < tol;
}

int main()
{
    bool ok = true;
    const int sizes[][3] = {{1, 1, 1}, {16, 16, 16}, {17, 33, 5}, {100, 64, 200}, {129, 257, 63}};
    for (const auto& s : sizes) {
        ok = test<float>(s[0], s[1], s[2], 1e-4) && ok;
        ok = test<double>(s[0], s[1], s[2], 1e-12) && ok;
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
