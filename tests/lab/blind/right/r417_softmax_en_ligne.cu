// Softmax de chaque ligne, en une seule lecture pour le couple (maximum, somme).
// x et y : lignes x cols, rangement par lignes. Valeurs finies, cols >= 1.
// Lancement : softmaxLignes<256><<<min(lignes, 2048), 256>>>(x, y, lignes, cols);
#include <cuda_runtime.h>
#include <cfloat>

struct Etat {
    float m;   // maximum courant
    float s;   // somme des exp(x - m)
};

__device__ __forceinline__ Etat fusion(Etat a, Etat b)
{
    const float m = fmaxf(a.m, b.m);
    return Etat{m, a.s * __expf(a.m - m) + b.s * __expf(b.m - m)};
}

template <int FILS>
__global__ void softmaxLignes(const float* __restrict__ x, float* __restrict__ y,
                              int lignes, int cols)
{
    static_assert((FILS & (FILS - 1)) == 0, "FILS doit etre une puissance de deux");
    __shared__ Etat partiel[FILS];
    const int t = threadIdx.x;

    for (int l = blockIdx.x; l < lignes; l += gridDim.x) {
        const float* xl = x + (size_t)l * cols;
        float* yl = y + (size_t)l * cols;

        Etat e{-FLT_MAX, 0.f};
        for (int c = t; c < cols; c += FILS)
            e = fusion(e, Etat{xl[c], 1.f});

        partiel[t] = e;
        __syncthreads();
        for (int d = FILS / 2; d > 0; d /= 2) {
            if (t < d) partiel[t] = fusion(partiel[t], partiel[t + d]);
            __syncthreads();
        }
        const Etat total = partiel[0];
        __syncthreads();              // partiel est réutilisé à la ligne suivante

        const float inv = 1.f / total.s;
        for (int c = t; c < cols; c += FILS)
            yl[c] = __expf(xl[c] - total.m) * inv;
    }
}
