// Tenzorová jádra, libovolné rozměry: okraje se doplní nulami ve sdílené paměti.
// A (m x k) a B (k x n) half po řádcích, C (m x n) float po řádcích. 4 warpy = 32 x 32 výsledků.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int LDA_S = 24, LDB_S = 40, LDC_S = 36;

__global__ void soucin_wmma(const half* A, const half* B, float* C, int m, int n, int k)
{
    __shared__ alignas(32) half  sA[32 * LDA_S];
    __shared__ alignas(32) half  sB[16 * LDB_S];
    __shared__ alignas(32) float sC[32 * LDC_S];

    const int t = threadIdx.x, warp = t / 32;
    const int wr = (warp / 2) * 16, wc = (warp % 2) * 16;
    const int r0 = blockIdx.x * 32, c0 = blockIdx.y * 32;   // x chodí po řádcích C
    const half nula = __float2half(0.0f);

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);

    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int i = t; i < 32 * 16; i += 128) {
            const int ra = i / 16, ka = i % 16;
            sA[ra * LDA_S + ka] = (r0 + ra < m && k0 + ka < k) ? A[(size_t)(r0 + ra) * k + k0 + ka] : nula;
            const int kb = i / 32, cb = i % 32;
            sB[kb * LDB_S + cb] = (k0 + kb < k && c0 + cb < n) ? B[(size_t)(k0 + kb) * n + c0 + cb] : nula;
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, sA + wr * LDA_S, LDA_S);
        wmma::load_matrix_sync(fb, sB + wc, LDB_S);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }

    wmma::store_matrix_sync(sC + wr * LDC_S + wc, acc, LDC_S, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 32 * 32; i += 128) {
        const int r = i / 32, c = i % 32;
        if (r0 + r < m && c0 + c < n) C[(size_t)(r0 + r) * n + c0 + c] = sC[r * LDC_S + c];
    }
}

int main()
{
    const int m = 75, n = 41, k = 53;
    std::vector<half> a(m * k), b(k * n);
    std::vector<float> c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = __float2half((float)((i * 7) % 11 - 5));
    for (int i = 0; i < k * n; ++i) b[i] = __float2half((float)((i * 5) % 9 - 4));

    half *da, *db; float *dc;
    cudaMalloc(&da, a.size() * sizeof(half));
    cudaMalloc(&db, b.size() * sizeof(half));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);

    soucin_wmma<<<dim3((m + 31) / 32, (n + 31) / 32), 128>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int spatne = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int p = 0; p < k; ++p) s += __half2float(a[i * k + p]) * __half2float(b[p * n + j]);
            if (std::fabs(s - c[i * n + j]) > 1e-3f) ++spatne;
        }
    std::printf(spatne ? "CHYBA: %d\n" : "v poradku (%d)\n", spatne);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return spatne != 0;
}
