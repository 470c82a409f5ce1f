// Produit réduit, deux sorties voisines par fil (lecture de B par float4).
// On suppose n pair et B aligné sur 16 octets (cudaMalloc) ; m et k quelconques.
#include <cuda_runtime.h>
#include <cassert>

constexpr int LIG = 8;     // fils en y
constexpr int COL = 16;    // fils en x, soit 32 colonnes de C
constexpr int PR = 16;     // profondeur d'une tranche

__global__ void reduit(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float ligne[LIG][PR];
    __shared__ float2 paire[PR][COL];

    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * LIG + y;
    int j = 2 * (blockIdx.x * COL + x);
    float c0 = 0.f, c1 = 0.f;

    for (int p = 0; p < k; p += PR) {
        float s = 0.f;
        if (i < m && p + x < k) {
            const float *haut = A + (2 * i) * k + p + x;
            s = haut[0] + haut[k];
        }
        ligne[y][x] = s;

        for (int q = y; q < PR; q += LIG) {
            float2 w = make_float2(0.f, 0.f);
            if (p + q < k && j < n) {
                float4 b = *(const float4 *)(B + (p + q) * 2 * n + 2 * j);
                w.x = b.x + b.y;
                w.y = b.z + b.w;
            }
            paire[q][x] = w;
        }
        __syncthreads();

        for (int q = 0; q < PR; ++q) {
            c0 += ligne[y][q] * paire[q][x].x;
            c1 += ligne[y][q] * paire[q][x].y;
        }
        __syncthreads();
    }
    if (i < m && j < n) {
        C[i * n + j] = c0;
        C[i * n + j + 1] = c1;
    }
}

void lancer(const float *A, const float *B, float *C, int m, int n, int k)
{
    assert(n % 2 == 0);
    dim3 fils(COL, LIG);
    dim3 blocs((n / 2 + COL - 1) / COL, (m + LIG - 1) / LIG);
    reduit<<<blocs, fils>>>(A, B, C, m, n, k);
}
