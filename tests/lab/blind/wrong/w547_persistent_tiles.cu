// Persistent blocks: as many blocks as fit on the GPU are started, and each block
// walks over the tiles of C. Register tile 4x4 per thread, tile 64x64, 256 threads (1D).
// C = A * B, row-major, any m, n, k > 0.
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

namespace cfg {
constexpr int BM = 64, BN = 64, BK = 16;
constexpr int TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);
}

template <typename T>
struct TileShared {
    T a[cfg::BK][cfg::BM];
    T b[cfg::BK][cfg::BN];
};

template <typename T>
__global__ void gemmPersistent(const T* A, const T* B, T* C, int m, int n, int k,
                               int tilesN, int tilesTotal)
{
    using namespace cfg;
    __shared__ TileShared<T> sh;

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);     // 0..15
    const int tc = tid % (BN / TN);     // 0..15

    T acc[TM][TN] = {};

    for (int tile = blockIdx.x; tile < tilesTotal; tile += gridDim.x) {
        const int row0 = (tile / tilesN) * BM;
        const int col0 = (tile % tilesN) * BN;

        for (int k0 = 0; k0 < k; k0 += BK) {
            for (int e = tid; e < BM * BK; e += THREADS) {
                int r = e / BK, p = e % BK;
                bool in = row0 + r < m && k0 + p < k;
                sh.a[p][r] = in ? A[(size_t)(row0 + r) * k + k0 + p] : T(0);
            }
            for (int e = tid; e < BK * BN; e += THREADS) {
                int p = e / BN, c = e % BN;
                bool in = k0 + p < k && col0 + c < n;
                sh.b[p][c] = in ? B[(size_t)(k0 + p) * n + col0 + c] : T(0);
            }
            __syncthreads();

            for (int p = 0; p < BK; ++p)
                for (int i = 0; i < TM; ++i)
                    for (int j = 0; j < TN; ++j)
                        acc[i][j] += sh.a[p][tr * TM + i] * sh.b[p][tc * TN + j];
            __syncthreads();
        }

        for (int i = 0; i < TM; ++i)
            for (int j = 0; j < TN; ++j) {
                int r = row0 + tr * TM + i, c = col0 + tc * TN + j;
                if (r < m && c < n) C[(size_t)r * n + c] = acc[i][j];
            }
    }
}

template <typename T>
void gemm(const T* dA, const T* dB, T* dC, int m, int n, int k)
{
    int dev = 0, sms = 0, perSm = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, gemmPersistent<T>, cfg::THREADS, 0);

    const int tilesM = (m + cfg::BM - 1) / cfg::BM;
    const int tilesN = (n + cfg::BN - 1) / cfg::BN;
    const int blocks = std::min(tilesM * tilesN, std::max(1, sms * perSm));

    gemmPersistent<T><<<blocks, cfg::THREADS>>>(dA, dB, dC, m, n, k, tilesN, tilesM * tilesN);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("gemmPersistent: launch failed");
}

template void gemm<float>(const float*, const float*, float*, int, int, int);
template void gemm<double>(const double*, const double*, double*, int, int, int);
