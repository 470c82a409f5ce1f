// Matriisitulo C = A * B neljan floatin latauksilla (float4).
//
// Ehdot: m ja n jaollisia 64:lla, k jaollinen 16:lla, osoittimet cudaMallocista
// (16 tavun kohdistus). Kaynnistys: 256 saietta lohkossa, ruudukko (n / 64, m / 64).
#include <cuda_runtime.h>

#define LAATTA 64
#define SYVYYS 16

__device__ __forceinline__ void kerro(float4 &summa, float a, const float4 &b)
{
    summa.x += a * b.x;
    summa.y += a * b.y;
    summa.z += a * b.z;
    summa.w += a * b.w;
}

__global__ void __launch_bounds__(256)
matriisituloNelikko(const float *__restrict__ A, const float *__restrict__ B,
                    float *__restrict__ C, int m, int n, int k)
{
    // A talletetaan kaannettyna: palaA[p][rivi]; rivin pituus 68 pitaa kohdistuksen
    __shared__ __align__(16) float palaA[SYVYYS][LAATTA + 4];
    __shared__ __align__(16) float palaB[SYVYYS][LAATTA];

    const int saie = threadIdx.x;
    const int rivi0 = blockIdx.y * LAATTA;
    const int sarake0 = blockIdx.x * LAATTA;

    // latausten paikat: A:n palassa 64 x 4 nelikkoa, B:n palassa 16 x 16 nelikkoa
    const int aRivi = saie / 4;
    const int aSarake = (saie % 4) * 4;
    const int bRivi = saie / 16;
    const int bSarake = (saie % 16) * 4;

    // laskennan paikka: 4 x 4 alkiota
    const int y = (saie / 16) * 4;
    const int x = (saie % 16) * 4;

    float4 tulos[4];
    for (int i = 0; i < 4; i++)
        tulos[i] = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int p0 = 0; p0 < k; p0 += SYVYYS) {
        const float4 va = *reinterpret_cast<const float4 *>(
            &A[(size_t)(rivi0 + aRivi) * k + p0 + aSarake]);
        const float4 vb = *reinterpret_cast<const float4 *>(
            &B[(size_t)(p0 + bRivi) * n + sarake0 + bSarake]);

        palaA[aSarake + 0][aRivi] = va.x;
        palaA[aSarake + 1][aRivi] = va.y;
        palaA[aSarake + 2][aRivi] = va.z;
        palaA[aSarake + 3][aRivi] = va.w;
        *reinterpret_cast<float4 *>(&palaB[bRivi][bSarake]) = vb;
        __syncthreads();

#pragma unroll
        for (int p = 0; p < SYVYYS; p++) {
            const float4 a = *reinterpret_cast<const float4 *>(&palaA[p][y]);
            const float4 b = *reinterpret_cast<const float4 *>(&palaB[p][x]);
            kerro(tulos[0], a.x, b);
            kerro(tulos[1], a.y, b);
            kerro(tulos[2], a.z, b);
            kerro(tulos[3], a.w, b);
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&C[(size_t)(rivi0 + y + i) * n + sarake0 + x]) = tulos[i];
}
