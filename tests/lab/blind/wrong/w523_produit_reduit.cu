// Devoir 2 : produit réduit. On additionne les lignes voisines de A (0 et 1, 2 et 3, ...)
// et les colonnes voisines de B (0 et 1, 2 et 3, ...), puis on multiplie.
// A : m x k, B : k x n, C : m/2 x n/2. m et n pairs, k quelconque.
// Bloc 16 x 16, grille (ceil(n/2 / 16), ceil(m/2 / 16)).
#include <cuda_runtime.h>

constexpr int COTE = 16;

__global__ void produit_reduit(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float lignes[COTE][COTE];
    __shared__ float colonnes[COTE][COTE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * COTE + ty;    // ligne de C
    const int j = blockIdx.x * COTE + tx;    // colonne de C
    const int m2 = m / 2;
    const int n2 = n / 2;

    float s = 0.f;
    for (int d = 0; d < k; d += COTE)
    {
        // somme de deux lignes de A
        float v = 0.f;
        if (i < m2 && d + tx < k)
        {
            v  = A[(2 * i) * k + d + tx];
            v += A[(2 * i + 1) * k + d + tx];
        }
        lignes[ty][tx] = v;

        // somme de deux colonnes de B
        v = 0.f;
        if (j < n2 && d + ty < k)
        {
            v  = B[(d + ty) * n + j];
            v += B[(d + ty) * n + j + n2];
        }
        colonnes[ty][tx] = v;
        __syncthreads();

        for (int q = 0; q < COTE; q++)
            s += lignes[ty][q] * colonnes[q][tx];
        __syncthreads();
    }

    if (i < m2 && j < n2)
        C[i * n2 + j] = s;
}
