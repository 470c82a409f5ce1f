// Cviceni 5: C = A * B^T se ctenim po ctvericich (float4)
// A: M x K s rozestupem radku lda, B: N x K s rozestupem ldb, C: M x N s rozestupem ldc.
// lda a ldb jsou nasobky 4 (radky jsou zarovnane), K muze byt libovolne.
#include <cuda_runtime.h>

__device__ inline float soucin4(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void ctverice(const float *__restrict__ A, int lda,
                         const float *__restrict__ B, int ldb,
                         float *__restrict__ C, int ldc, int M, int N, int K)
{
    const int sloupec = blockIdx.x * blockDim.x + threadIdx.x;
    const int radek   = blockIdx.y * blockDim.y + threadIdx.y;
    if (radek >= M || sloupec >= N)
        return;

    const float *a = A + (size_t)radek * lda;
    const float *b = B + (size_t)sloupec * ldb;
    const float4 *a4 = reinterpret_cast<const float4 *>(a);
    const float4 *b4 = reinterpret_cast<const float4 *>(b);

    float soucet = 0.0f;
    const int ctvercu = K / 4;
    int k;
    for (k = 0; k < ctvercu; ++k)
        soucet += soucin4(a4[k], b4[k]);

    // zbytek radku po jednom prvku
    for (; k < K; ++k)
        soucet += a[k] * b[k];

    C[(size_t)radek * ldc + sloupec] = soucet;
}

void vynasob(const float *dA, int lda, const float *dB, int ldb, float *dC, int ldc,
             int M, int N, int K)
{
    dim3 blok(8, 32);
    dim3 mrizka((N + blok.x - 1) / blok.x, (M + blok.y - 1) / blok.y);
    ctverice<<<mrizka, blok>>>(dA, lda, dB, ldb, dC, ldc, M, N, K);
}
