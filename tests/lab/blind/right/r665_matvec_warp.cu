// Produit matrice-vecteur y = A x : un warp par ligne.
#include <cstdio>
#include <cstdlib>

const int WARPS_PAR_BLOC = 4;

__device__ float sommeWarp(float v)
{
    for (int d = 16; d >= 1; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void matvec(const float *A, const float *x, float *y, int lignes, int colonnes)
{
    int voie = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int ligne = blockIdx.x * WARPS_PAR_BLOC + warp;
    if (ligne >= lignes) return;          // tout le warp sort ensemble

    float s = 0.f;
    const float *a = A + (size_t)ligne * colonnes;
    for (int j = voie; j < colonnes; j += 32)
        s += a[j] * x[j];
    s = sommeWarp(s);
    if (voie == 0) y[ligne] = s;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 1001;
    int n = argc > 2 ? atoi(argv[2]) : 517;

    float *hA = new float[(size_t)m * n], *hx = new float[n], *hy = new float[m];
    for (size_t i = 0; i < (size_t)m * n; i++) hA[i] = (float)(i % 13) * 0.25f;
    for (int j = 0; j < n; j++) hx[j] = (float)(j % 3) - 1.f;

    float *dA, *dx, *dy;
    cudaMalloc((void **)&dA, (size_t)m * n * sizeof(float));
    cudaMalloc((void **)&dx, n * sizeof(float));
    cudaMalloc((void **)&dy, m * sizeof(float));
    cudaMemcpy(dA, hA, (size_t)m * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, hx, n * sizeof(float), cudaMemcpyHostToDevice);

    int blocs = (m + WARPS_PAR_BLOC - 1) / WARPS_PAR_BLOC;
    matvec<<<blocs, 32 * WARPS_PAR_BLOC>>>(dA, dx, dy, m, n);
    cudaMemcpy(hy, dy, m * sizeof(float), cudaMemcpyDeviceToHost);

    printf("y[0] = %f, y[%d] = %f\n", hy[0], m - 1, hy[m - 1]);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    delete[] hA; delete[] hx; delete[] hy;
    return 0;
}
