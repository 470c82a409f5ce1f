// Register-tiled SGEMM, tile shape described by a config struct.
// Any m, n, k >= 1 (row-major, packed).
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "CUDA: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

template <int BM_, int BN_, int BK_, int TM_, int TN_>
struct TileConfig {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
    static constexpr int COLS = BN / TN;               // threads along n
    static constexpr int THREADS = (BM / TM) * COLS;
    static_assert(BM % TM == 0 && BN % TN == 0, "thread tile must divide block tile");
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::THREADS)
sgemm_regs(int m, int n, int k, const float* A, const float* B, float* C)
{
    __shared__ float As[Cfg::BK][Cfg::BM + 1];   // kept transposed
    __shared__ float Bs[Cfg::BK][Cfg::BN];

    const int tid = threadIdx.x;
    const int tr = (tid / Cfg::COLS) * Cfg::TM;
    const int tc = tid % Cfg::COLS;
    const int row0 = blockIdx.y * Cfg::BM;
    const int col0 = blockIdx.x * Cfg::BN;

    float acc[Cfg::TM][Cfg::TN];
    for (int i = 0; i < Cfg::TM; ++i)
        for (int j = 0; j < Cfg::TN; ++j)
            acc[i][j] = 0.f;

    for (int k0 = 0; k0 < k; k0 += Cfg::BK) {
        for (int e = tid; e < Cfg::BM * Cfg::BK; e += Cfg::THREADS) {
            const int r = e / Cfg::BK, c = e % Cfg::BK;
            As[c][r] = (row0 + r < m && k0 + c < k) ? A[(size_t)(row0 + r) * k + k0 + c] : 0.f;
        }
        for (int e = tid; e < Cfg::BK * Cfg::BN; e += Cfg::THREADS) {
            const int r = e / Cfg::BN, c = e % Cfg::BN;
            Bs[r][c] = (k0 + r < k && col0 + c < n) ? B[(size_t)(k0 + r) * n + col0 + c] : 0.f;
        }
        __syncthreads();

#pragma unroll
        for (int p = 0; p < Cfg::BK; ++p) {
            float ra[Cfg::TM], rb[Cfg::TN];
#pragma unroll
            for (int i = 0; i < Cfg::TM; ++i) ra[i] = As[p][tr + i];
#pragma unroll
            for (int j = 0; j < Cfg::TN; ++j) rb[j] = Bs[p][tc + j * Cfg::COLS];
#pragma unroll
            for (int i = 0; i < Cfg::TM; ++i)
#pragma unroll
                for (int j = 0; j < Cfg::TN; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < Cfg::TM; ++i) {
        const int r = row0 + tr + i;
        if (r >= m) break;
        for (int j = 0; j < Cfg::TN; ++j) {
            const int c = col0 + tc + j * Cfg::COLS;   // strided, so stores coalesce
            if (c < n) C[(size_t)r * n + c] = acc[i][j];
        }
    }
}

template <class Cfg>
double max_error(int m, int n, int k)
{
    std::mt19937 gen(m * 7 + n * 3 + k);
    std::uniform_real_distribution<float> u(-1.f, 1.f);
    std::vector<float> a((size_t)m * k), b((size_t)k * n), c((size_t)m * n, -1.f);
    for (auto& v : a) v = u(gen);
    for (auto& v : b) v = u(gen);

    float *da, *db, *dc;
    CK(cudaMalloc(&da, a.size() * sizeof(float)));
    CK(cudaMalloc(&db, b.size() * sizeof(float)));
    CK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 grid((n + Cfg::BN - 1) / Cfg::BN, (m + Cfg::BM - 1) / Cfg::BM);
    sgemm_regs<Cfg><<<grid, Cfg::THREADS>>>(m, n, k, da, db, dc);
    CK(cudaGetLastError());
    CK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dc));

    double worst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int p = 0; p < k; ++p) s += (double)a[(size_t)i * k + p] * b[(size_t)p * n + j];
            worst = std::max(worst, std::fabs(s - c[(size_t)i * n + j]));
        }
    return worst;
}

int main()
{
    using Tall = TileConfig<64, 64, 8, 8, 4>;     // 128 threads
    using Wide = TileConfig<32, 128, 16, 4, 8>;   // 128 threads
    const int s[][3] = {{1, 1, 1}, {64, 64, 64}, {65, 127, 9}, {200, 150, 333}};
    int bad = 0;
    for (auto& d : s) {
        double e1 = max_error<Tall>(d[0], d[1], d[2]), e2 = max_error<Wide>(d[0], d[1], d[2]);
        printf("%d %d %d: %g %g\n", d[0], d[1], d[2], e1, e2);
        bad += (e1 > 1e-3) + (e2 > 1e-3);
    }
    return bad;
}
