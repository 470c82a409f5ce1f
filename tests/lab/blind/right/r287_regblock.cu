// Register-blocked GEMM. Every thread owns a TM x TN patch of C; its rows are
// consecutive, its columns are strided by the number of threads across so that
// the shared-memory reads and the global stores stay coalesced.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace gemm {

inline void check(cudaError_t e, const char* where) {
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

template <typename T, int BM, int BN, int BK, int TM, int TN>
struct Config {
    using value_type = T;
    static constexpr int bm = BM, bn = BN, bk = BK, tm = TM, tn = TN;
    static constexpr int threads_x = BN / TN;
    static constexpr int threads_y = BM / TM;
    static constexpr int threads = threads_x * threads_y;
    static_assert(BM % TM == 0 && BN % TN == 0, "tile must divide");
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::threads)
kernel(const typename Cfg::value_type* __restrict__ a,
       const typename Cfg::value_type* __restrict__ b,
       typename Cfg::value_type* __restrict__ c, int m, int n, int k) {
    using T = typename Cfg::value_type;
    __shared__ T as[Cfg::bk][Cfg::bm + 1];
    __shared__ T bs[Cfg::bk][Cfg::bn];

    const int tid = threadIdx.x;
    const int tx = tid % Cfg::threads_x;
    const int ty = tid / Cfg::threads_x;
    const int row0 = blockIdx.y * Cfg::bm;
    const int col0 = blockIdx.x * Cfg::bn;

    T acc[Cfg::tm][Cfg::tn] = {};

    for (int k0 = 0; k0 < k; k0 += Cfg::bk) {
        for (int i = tid; i < Cfg::bm * Cfg::bk; i += Cfg::threads) {
            const int r = i / Cfg::bk, kk = i % Cfg::bk;
            const bool ok = row0 + r < m && k0 + kk < k;
            as[kk][r] = ok ? a[static_cast<size_t>(row0 + r) * k + k0 + kk] : T(0);
        }
        for (int i = tid; i < Cfg::bk * Cfg::bn; i += Cfg::threads) {
            const int kk = i / Cfg::bn, cc = i % Cfg::bn;
            const bool ok = k0 + kk < k && col0 + cc < n;
            bs[kk][cc] = ok ? b[static_cast<size_t>(k0 + kk) * n + col0 + cc] : T(0);
        }
        __syncthreads();

#pragma unroll
        for (int kk = 0; kk < Cfg::bk; ++kk) {
            T ra[Cfg::tm], rb[Cfg::tn];
#pragma unroll
            for (int i = 0; i < Cfg::tm; ++i) ra[i] = as[kk][ty * Cfg::tm + i];
#pragma unroll
            for (int j = 0; j < Cfg::tn; ++j) rb[j] = bs[kk][tx + j * Cfg::threads_x];
#pragma unroll
            for (int i = 0; i < Cfg::tm; ++i)
#pragma unroll
                for (int j = 0; j < Cfg::tn; ++j) acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < Cfg::tm; ++i) {
        const int row = row0 + ty * Cfg::tm + i;
        if (row >= m) continue;
#pragma unroll
        for (int j = 0; j < Cfg::tn; ++j) {
            const int col = col0 + tx + j * Cfg::threads_x;
            if (col < n) c[static_cast<size_t>(row) * n + col] = acc[i][j];
        }
    }
}

template <class Cfg>
void launch(const typename Cfg::value_type* a, const typename Cfg::value_type* b,
            typename Cfg::value_type* c, int m, int n, int k) {
    const dim3 grid((n + Cfg::bn - 1) / Cfg::bn, (m + Cfg::bm - 1) / Cfg::bm);
    kernel<Cfg><<<grid, Cfg::threads>>>(a, b, c, m, n, k);
    check(cudaGetLastError(), "gemm launch");
}

}  // namespace gemm

int main() try {
    using Cfg = gemm::Config<float, 64, 32, 8, 4, 4>;
    const int m = 257, n = 190, k = 123;

    std::mt19937 gen(7);
    std::uniform_real_distribution<float> dist(-1.f, 1.f);
    std::vector<float> a(size_t(m) * k), b(size_t(k) * n), c(size_t(m) * n);
    for (auto& v : a) v = dist(gen);
    for (auto& v : b) v = dist(gen);

    float *da = nullptr, *db = nullptr, *dc = nullptr;
    gemm::check(cudaMalloc(&da, a.size() * sizeof(float)), "malloc a");
    gemm::check(cudaMalloc(&db, b.size() * sizeof(float)), "malloc b");
    gemm::check(cudaMalloc(&dc, c.size() * sizeof(float)), "malloc c");
    gemm::check(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice), "copy a");
    gemm::check(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice), "copy b");

    gemm::launch<Cfg>(da, db, dc, m, n, k);
    gemm::check(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy c");

    auto reference = [&](int i, int j) {
        double s = 0;
        for (int p = 0; p < k; ++p) s += double(a[size_t(i) * k + p]) * b[size_t(p) * n + j];
        return s;
    };
    double worst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
            worst = std::max(worst, std::fabs(reference(i, j) - c[size_t(i) * n + j]));
    std::printf("max abs error %g\n", worst);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return worst < 1e-3 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 2;
}
