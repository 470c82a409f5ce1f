// C = A * B, iga lõim arvutab 4 x 4 elementi 64 x 64 plokist.
// A: m x k, B: k x n, C: m x n (reahaaval), mõõtmed 1 kuni 16384.
// Lõimede plokk on 16 x 16.
#include <cuda_runtime.h>

constexpr int L = 16;           // lõimi ühes suunas
constexpr int E = 4;            // elemente lõime kohta ühes suunas
constexpr int P = L * E;        // plokk
constexpr int S = 16;           // samm mööda k-d

__global__ void __launch_bounds__(L * L)
korrutis(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n, int k)
{
    __shared__ float a[P][S + 1];
    __shared__ float b[S][P];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int nr = ty * L + tx;
    const int rida0 = blockIdx.y * P, veerg0 = blockIdx.x * P;

    float c[E][E] = {};
    for (int k0 = 0; k0 < k; k0 += S) {
        for (int e = nr; e < P * S; e += L * L) {
            const int r = e / S, q = e % S;
            a[r][q] = (rida0 + r < m && k0 + q < k) ? A[(size_t)(rida0 + r) * k + k0 + q] : 0.0f;
        }
        for (int e = nr; e < S * P; e += L * L) {
            const int q = e / P, v = e % P;
            b[q][v] = (k0 + q < k && veerg0 + v < n) ? B[(size_t)(k0 + q) * n + veerg0 + v] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int q = 0; q < S; ++q) {
            float ra[E], rb[E];
            #pragma unroll
            for (int i = 0; i < E; ++i) {
                ra[i] = a[ty + i * L][q];
                rb[i] = b[q][tx + i * L];
            }
            #pragma unroll
            for (int i = 0; i < E; ++i)
                #pragma unroll
                for (int j = 0; j < E; ++j)
                    c[i][j] = fmaf(ra[i], rb[j], c[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < E; ++i) {
        const int r = rida0 + ty + i * L;
        for (int j = 0; j < E; ++j) {
            const int v = veerg0 + tx * E + j;
            if (r < m && v < n)
                C[(size_t)r * n + v] = c[i][j];
        }
    }
}

void arvuta(const float* A, const float* B, float* C, int m, int n, int k)
{
    const dim3 plokk(L, L);
    const dim3 vork((n + P - 1) / P, (m + P - 1) / P);
    korrutis<<<vork, plokk>>>(A, B, C, m, n, k);
}
