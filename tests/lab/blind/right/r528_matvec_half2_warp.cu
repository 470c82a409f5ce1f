#include <cuda_fp16.h>
#include <cuda_runtime.h>

/*
 * y = A x   avec A en demi-précision (m lignes, n colonnes, pas de ligne lda)
 *
 * Un warp par ligne de A. Les couples (2 colonnes) sont lus avec half2,
 * les produits sont accumulés en float. n est quelconque (pair ou impair),
 * lda doit être pair (sinon half2 n'est plus aligné) et lda >= n.
 *
 * Lancement : dim3 bloc(32, WPB); grille((m + WPB - 1) / WPB);
 */
#define WPB 4

__device__ __forceinline__ float sommeWarp(float v)
{
    v += __shfl_down_sync(0xffffffffu, v, 16);
    v += __shfl_down_sync(0xffffffffu, v, 8);
    v += __shfl_down_sync(0xffffffffu, v, 4);
    v += __shfl_down_sync(0xffffffffu, v, 2);
    v += __shfl_down_sync(0xffffffffu, v, 1);
    return v;
}

__global__ void matvecHalf2(const __half *__restrict__ A, int lda,
                            const __half *__restrict__ x, float *__restrict__ y,
                            int m, int n)
{
    const int lane = threadIdx.x;                       // 0..31
    const int ligne = blockIdx.x * WPB + threadIdx.y;   // la même pour tout le warp
    if (ligne >= m) return;                             // le warp entier sort

    const __half *a = A + (size_t)ligne * lda;
    const __half2 *a2 = reinterpret_cast<const __half2 *>(a);
    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    const int n2 = n >> 1;

    float s0 = 0.f, s1 = 0.f;
    int j = lane;
    for (; j + 32 < n2; j += 64) {                      // deux couples par tour
        float2 u = __half22float2(a2[j]);
        float2 v = __half22float2(x2[j]);
        float2 p = __half22float2(a2[j + 32]);
        float2 q = __half22float2(x2[j + 32]);
        s0 += u.x * v.x + u.y * v.y;
        s1 += p.x * q.x + p.y * q.y;
    }
    if (j < n2) {
        float2 u = __half22float2(a2[j]);
        float2 v = __half22float2(x2[j]);
        s0 += u.x * v.x + u.y * v.y;
    }
    if ((n & 1) && lane == 0)                           // dernière colonne seule
        s0 += __half2float(a[n - 1]) * __half2float(x[n - 1]);

    const float total = sommeWarp(s0 + s1);
    if (lane == 0)
        y[ligne] = total;
}
