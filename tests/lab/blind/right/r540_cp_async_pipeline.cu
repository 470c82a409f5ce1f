#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// Semestrální práce: násobení matic s asynchronním kopírováním (cp.async, sm_80+)
//
// Rozměry: M a N násobky 64, K kladný násobek 16. Ukazatele zarovnané na 16 B.
// Spuštění: grid(N / 64, M / 64), 256 vláken v jednom rozměru.

namespace cfg {
constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int STUPNE = 2;      // dvojitý buffer
constexpr int VLAKNA = 256;
}

struct __align__(16) Dlazdice {
    float a[cfg::BM][cfg::BK];
    float b[cfg::BK][cfg::BN];
};

__device__ __forceinline__ void nactiAsync(Dlazdice &d, const float *A, const float *B,
                                           int N, int K, int k0)
{
    using namespace cfg;
    const int t = threadIdx.x;
    const int ra = t / (BK / 4), ca = (t % (BK / 4)) * 4;   // 64 řádků po 4 vektorech
    const int rb = t / (BN / 4), cb = (t % (BN / 4)) * 4;   // 16 řádků po 16 vektorech
    __pipeline_memcpy_async(&d.a[ra][ca], &A[(size_t)ra * K + k0 + ca], sizeof(float4));
    __pipeline_memcpy_async(&d.b[rb][cb], &B[(size_t)(k0 + rb) * N + cb], sizeof(float4));
}

__global__ void __launch_bounds__(cfg::VLAKNA)
nasobeniAsync(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
              int M, int N, int K)
{
    using namespace cfg;
    __shared__ Dlazdice pamet[STUPNE];

    // posun na dlaždici tohoto bloku
    A += (size_t)blockIdx.y * BM * K;
    B += (size_t)blockIdx.x * BN;
    C += (size_t)blockIdx.y * BM * N + (size_t)blockIdx.x * BN;

    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float4 soucet[4];
    for (int i = 0; i < 4; ++i) soucet[i] = make_float4(0.f, 0.f, 0.f, 0.f);

    nactiAsync(pamet[0], A, B, N, K, 0);
    __pipeline_commit();

    const int kroky = K / BK;
    for (int s = 0; s < kroky; ++s) {
        if (s + 1 < kroky)
            nactiAsync(pamet[(s + 1) % STUPNE], A, B, N, K, (s + 1) * BK);
        __pipeline_commit();              // v posledním kroku prázdná skupina
        __pipeline_wait_prior(1);         // skupina kroku s je hotová
        __syncthreads();

        const Dlazdice &d = pamet[s % STUPNE];
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 b = *reinterpret_cast<const float4 *>(&d.b[k][tx * 4]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = d.a[ty * 4 + i][k];
                soucet[i].x += a * b.x;
                soucet[i].y += a * b.y;
                soucet[i].z += a * b.z;
                soucet[i].w += a * b.w;
            }
        }
        __syncthreads();                  // buffer se v dalším kroku přepíše
    }

    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4 *>(&C[(size_t)(ty * 4 + i) * N + tx * 4]) = soucet[i];
}
