// HW3: SGEMM with register tiling, C = alpha * A * B + beta * C, row-major.
// Each block of 256 threads makes a 64x64 tile, each thread 4x4 of it.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

namespace cfg {
constexpr int BM = 64, BN = 64, BK = 8;
constexpr int TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);
}

template <typename T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(const std::vector<T>& host) : count_(host.size()) {
        check(cudaMalloc(&ptr_, count_ * sizeof(T)));
        check(cudaMemcpy(ptr_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DeviceBuffer() { cudaFree(ptr_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    T* get() { return ptr_; }
    void download(std::vector<T>& host) const {
        check(cudaMemcpy(host.data(), ptr_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    }
    static void check(cudaError_t e) {
        if (e != cudaSuccess) { std::cerr << cudaGetErrorString(e) << '\n'; std::exit(1); }
    }
private:
    T* ptr_ = nullptr;
    size_t count_;
};

__global__ void __launch_bounds__(cfg::THREADS)
sgemm(int M, int N, int K, float alpha, const float* __restrict__ A,
      const float* __restrict__ B, float beta, float* __restrict__ C)
{
    using namespace cfg;
    __shared__ float As[BK][BM];   // stored transposed
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);      // 0..15
    const int tc = tid % (BN / TN);      // 0..15
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += THREADS) {
            int r = e / BK, c = e % BK;
            As[c][r] = (row0 + r < M && k0 + c < K) ? A[size_t(row0 + r) * K + k0 + c] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += THREADS) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[size_t(k0 + r) * N + col0 + c] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[k][tr * TM + i];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc + j * (BN / TN)];  // strided: no bank conflicts
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        int r = row0 + tr * TM + i;
        if (r >= M) break;
        for (int j = 0; j < TN; ++j) {
            int c = col0 + tc + j * (BN / TN);
            if (c >= N) break;
            size_t idx = size_t(r) * N + c;
            float old = (beta != 0.f) ? beta * C[idx] : 0.f;
            C[idx] = alpha * acc[i][j] + old;
        }
    }
}

int main()
{
    std::mt19937 gen(42);
    std::uniform_real_distribution<float> dist(-1.f, 1.f);
    const int sizes[][3] = {{64, 64, 64}, {100, 130, 50}, {1, 200, 77}, {257, 65, 9}};
    bool ok = true;
    for (auto& s : sizes) {
        const int M = s[0], N = s[1], K = s[2];
        std::vector<float> a(size_t(M) * K), b(size_t(K) * N), c(size_t(M) * N);
        for (auto* v : {&a, &b, &c}) for (float& f : *v) f = dist(gen);
        std::vector<float> out(c);
        const float alpha = 1.5f, beta = -0.5f;
        DeviceBuffer<float> da(a), db(b), dc(c);
        dim3 grid((N + cfg::BN - 1) / cfg::BN, (M + cfg::BM - 1) / cfg::BM);
        sgemm<<<grid, cfg::THREADS>>>(M, N, K, alpha, da.get(), db.get(), beta, dc.get());
        DeviceBuffer<float>::check(cudaGetLastError());
        dc.download(out);
        double worst = 0;
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                double r = 0;
                for (int k = 0; k < K; ++k) r += double(a[size_t(i) * K + k]) * b[size_t(k) * N + j];
                r = alpha * r + beta * c[size_t(i) * N + j];
                worst = std::max(worst, std::fabs(r - out[size_t(i) * N + j]));
            }
        std::cout << M << 'x' << N << 'x' << K << " max diff " << worst << '\n';
        ok = ok && worst < 1e-3;
    }
    std::cout << (ok ? "PASSED" : "FAILED") << std::endl;
    return ok ? 0 : 1;
}
