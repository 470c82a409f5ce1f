// Matrixprodukt C = A * B i double, rækkevis lagring.
// A: m x k, B: k x n, C: m x n. Alle mål fra 1 til 32768.
// Blokkene vandrer over felterne (32 x 32) i C; hver warp tager fire rækker,
// og pegerne flyttes et felt ad gangen i stedet for at regne indekser ud.
#include <algorithm>
#include <cuda_runtime.h>

constexpr int F = 32;          // feltets side
constexpr int WARPS = 8;
constexpr int RW = F / WARPS;  // rækker pr. warp

__global__ void __launch_bounds__(32 * WARPS, 2)
matprod(const double* __restrict__ A, const double* __restrict__ B,
        double* __restrict__ C, int m, int n, int k)
{
    __shared__ double sa[F][F];
    __shared__ double sb[F][F];

    const int spor = threadIdx.x & 31;
    const int w4 = (threadIdx.x >> 5) * RW;      // warpens første række i feltet
    const int bredde = (n + F - 1) / F;
    const int felter = bredde * ((m + F - 1) / F);

    for (int f = blockIdx.x; f < felter; f += gridDim.x) {
        const int r0 = f / bredde * F + w4;
        const int c = f % bredde * F + spor;

        const double* a = A + size_t(r0) * k + spor;
        const double* b = B + size_t(w4) * n + c;
        double sum[RW] = {};

        for (int k0 = 0; k0 < k; k0 += F) {
#pragma unroll
            for (int r = 0; r < RW; ++r) {
                sa[w4 + r][spor] = (r0 + r < m && k0 + spor < k) ? a[size_t(r) * k] : 0.0;
                sb[w4 + r][spor] = (k0 + w4 + r < k && c < n) ? b[size_t(r) * n] : 0.0;
            }
            __syncthreads();

#pragma unroll 8
            for (int q = 0; q < F; ++q) {
                const double v = sb[q][spor];
#pragma unroll
                for (int r = 0; r < RW; ++r) sum[r] += sa[w4 + r][q] * v;
            }
            __syncthreads();

            a += F;
            b += size_t(F) * n;
        }

        if (c >= n) continue;
        for (int r = 0; r < RW && r0 + r < m; ++r)
            C[size_t(r0 + r) * n + c] = sum[r];
    }
}

cudaError_t koer(const double* A, const double* B, double* C,
                 int m, int n, int k, cudaStream_t stroem)
{
    const int felter = ((m + F - 1) / F) * ((n + F - 1) / F);
    matprod<<<std::min(felter, 1024), 32 * WARPS, 0, stroem>>>(A, B, C, m, n, k);
    return cudaGetLastError();
}
