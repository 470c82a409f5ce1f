// Reduced product via the full product: every entry of C is the sum of a
// 2x2 block of P = A*B. One thread works out its own 2x2 block of P in
// registers and adds the four numbers up. Column-major, double precision.
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#define CHECK(x) do { cudaError_t e = (x); \
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); } while (0)

constexpr int BS = 8;          // threads per side, so 16 rows/columns of P per block

__global__ void block_sums(int m, int n, int k, const double* A, const double* B, double* C)
{
    __shared__ double a[BS][2 * BS];   // a[p][row]
    __shared__ double b[BS][2 * BS];   // b[p][col]

    const int tx = threadIdx.x;        // runs along the rows (contiguous in memory)
    const int ty = threadIdx.y;        // runs along the columns
    const int r0 = blockIdx.x * 2 * BS;
    const int c0 = blockIdx.y * 2 * BS;

    double p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int k0 = 0; k0 < k; k0 += BS) {
        for (int h = 0; h < 2; ++h) {
            const int r = tx + h * BS;             // row inside the A tile
            const int c = ty + h * BS;             // column inside the B tile
            a[ty][r] = (r0 + r < m && k0 + ty < k) ? A[(r0 + r) + size_t(k0 + ty) * m] : 0.0;
            b[tx][c] = (c0 + c < n && k0 + tx < k) ? B[(k0 + tx) + size_t(c0 + c) * k] : 0.0;
        }
        __syncthreads();
        for (int p = 0; p < BS; ++p) {
            const double a0 = a[p][2 * tx], a1 = a[p][2 * tx + 1];
            const double b0 = b[p][2 * ty], b1 = b[p][2 * ty + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = r0 / 2 + tx;
    const int j = c0 / 2 + ty;
    if (i < m / 2 && j < n / 2)
        C[i + size_t(j) * (m / 2)] = (p00 + p01) + (p10 + p11);
}

struct CudaFree { void operator()(double* p) const { cudaFree(p); } };
using DevPtr = std::unique_ptr<double, CudaFree>;

DevPtr make_device(size_t n)
{
    double* p = nullptr;
    CHECK(cudaMalloc(&p, n * sizeof(double)));
    return DevPtr(p);
}

class ReducedProduct {
public:
    ReducedProduct(int m, int n, int k) : m_(m), n_(n), k_(k)
    {
        if (m <= 0 || n <= 0 || k <= 0 || m % 2 || n % 2)
            throw std::invalid_argument("m and n must be even and positive");
        dA_ = make_device(size_t(m) * k);
        dB_ = make_device(size_t(k) * n);
        dC_ = make_device(size_t(m / 2) * (n / 2));
    }

    std::vector<double> operator()(const std::vector<double>& A, const std::vector<double>& B)
    {
        std::vector<double> C(size_t(m_ / 2) * (n_ / 2));
        CHECK(cudaMemcpy(dA_.get(), A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(dB_.get(), B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice));
        dim3 block(BS, BS);
        dim3 grid((m_ + 2 * BS - 1) / (2 * BS), (n_ + 2 * BS - 1) / (2 * BS));
        block_sums<<<grid, block>>>(m_, n_, k_, dA_.get(), dB_.get(), dC_.get());
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(C.data(), dC_.get(), C.size() * sizeof(double), cudaMemcpyDeviceToHost));
        return C;
    }

private:
    int m_, n_, k_;
    DevPtr dA_, dB_, dC_;
};

int main()
{
    const int sizes[][3] = {{2, 2, 1}, {16, 16, 8}, {18, 34, 7}, {100, 60, 77}};
    for (const auto& s : sizes) {
        const int m = s[0], n = s[1], k = s[2];
        std::vector<double> A(size_t(m) * k), B(size_t(k) * n);
        for (size_t i = 0; i < A.size(); ++i) A[i] = std::sin(0.3 * i);
        for (size_t i = 0; i < B.size(); ++i) B[i] = std::cos(0.7 * i);

        ReducedProduct product(m, n, k);
        const auto C = product(A, B);

        double err = 0;
        for (int j = 0; j < n / 2; ++j)
            for (int i = 0; i < m / 2; ++i) {
                double ref = 0;
                for (int p = 0; p < k; ++p)
                    ref += (A[2 * i + size_t(p) * m] + A[2 * i + 1 + size_t(p) * m]) *
                           (B[p + size_t(2 * j) * k] + B[p + size_t(2 * j + 1) * k]);
                err = std::max(err, std::fabs(ref - C[i + size_t(j) * (m / 2)]));
            }
        std::cout << m << " " << n << " " << k << " error " << err << (err < 1e-10 ? " ok\n" : " BAD\n");
    }
}
