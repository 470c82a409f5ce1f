// Dávkové násobení matic: C_b = A_b * B_b pro b = 0 .. pocet-1.
// Matice leží za sebou s pevným krokem, každá po řádcích:
//   A_b: m x k,  B_b: k x n,  C_b: m x n
// m, n, k od 1 do 8192, počet libovolný kladný int.
#include <algorithm>
#include <cuda_runtime.h>

struct Davka {
    const float* A;
    const float* B;
    float* C;
    size_t krokA, krokB, krokC;
    int m, n, k;
    int pocet;
};

constexpr int DL = 16;

__global__ void __launch_bounds__(DL * DL) nasobDavku(const Davka d)
{
    __shared__ float dlazdiceA[DL][DL + 1];
    __shared__ float dlazdiceB[DL][DL + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int radek = blockIdx.y * DL + ty;
    const int sloupec = blockIdx.x * DL + tx;

    // mřížka může mít v ose z méně bloků, než je matic
    for (long long b = blockIdx.z; b < d.pocet; b += gridDim.z) {
        const float* A = d.A + b * d.krokA;
        const float* B = d.B + b * d.krokB;
        float* C = d.C + b * d.krokC;

        float soucet = 0.f;
        for (int k0 = 0; k0 < d.k; k0 += DL) {
            float a = 0.f, bb = 0.f;
            if (radek < d.m && k0 + tx < d.k) a = A[radek * d.k + k0 + tx];
            if (k0 + ty < d.k && sloupec < d.n) bb = B[(k0 + ty) * d.n + sloupec];
            dlazdiceA[ty][tx] = a;
            dlazdiceB[ty][tx] = bb;
            __syncthreads();

#pragma unroll
            for (int q = 0; q < DL; ++q)
                soucet = fmaf(dlazdiceA[ty][q], dlazdiceB[q][tx], soucet);
            __syncthreads();
        }

        if (radek < d.m && sloupec < d.n)
            C[radek * d.n + sloupec] = soucet;
    }
}

cudaError_t spustDavku(const float* A, const float* B, float* C,
                       int m, int n, int k, int pocet, cudaStream_t proud)
{
    const Davka d{A, B, C,
                  size_t(m) * k, size_t(k) * n, size_t(m) * n,
                  m, n, k, pocet};
    const dim3 blok(DL, DL);
    const dim3 mrizka((n + DL - 1) / DL, (m + DL - 1) / DL, std::min(pocet, 65535));
    nasobDavku<<<mrizka, blok, 0, proud>>>(d);
    return cudaGetLastError();
}
