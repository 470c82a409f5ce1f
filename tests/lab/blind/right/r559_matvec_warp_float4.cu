// TP3 : produit matrice-vecteur, un warp par ligne, lectures en float4
#include <cuda_runtime.h>
#include <cstdio>

static const int kWarpsParBloc = 4;

__global__ void matvecWarp(const float4* __restrict__ A, const float4* __restrict__ x,
                           float* __restrict__ y, int lignes, int col4)
{
    int ligne = blockIdx.x * kWarpsParBloc + threadIdx.y;
    if (ligne >= lignes)
        return;                       // tout le warp sort ensemble

    const float4* a = A + (size_t)ligne * col4;
    float s = 0.f;
    for (int j = threadIdx.x; j < col4; j += 32) {
        float4 u = a[j];
        float4 v = x[j];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    // réduction papillon : chaque voie obtient la somme
    for (int m = 16; m >= 1; m >>= 1)
        s += __shfl_xor_sync(0xffffffff, s, m);

    if (threadIdx.x == 0)
        y[ligne] = s;
}

// A : lignes x colonnes (row-major), colonnes multiple de 4.
// Renvoie false si les dimensions ne conviennent pas ou si CUDA échoue.
bool matvec(const float* hA, const float* hx, float* hy, int lignes, int colonnes)
{
    if (lignes <= 0 || colonnes <= 0 || colonnes % 4 != 0) {
        fprintf(stderr, "matvec: le nombre de colonnes doit etre un multiple de 4\n");
        return false;
    }
    size_t tailleA = (size_t)lignes * colonnes * sizeof(float);
    float4 *dA = nullptr, *dx = nullptr;
    float* dy = nullptr;
    cudaMalloc((void**)&dA, tailleA);
    cudaMalloc((void**)&dx, colonnes * sizeof(float));
    cudaMalloc((void**)&dy, lignes * sizeof(float));
    cudaMemcpy(dA, hA, tailleA, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, hx, colonnes * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloc(32, kWarpsParBloc);
    int grille = (lignes + kWarpsParBloc - 1) / kWarpsParBloc;
    matvecWarp<<<grille, bloc>>>(dA, dx, dy, lignes, colonnes / 4);

    cudaMemcpy(hy, dy, lignes * sizeof(float), cudaMemcpyDeviceToHost);
    cudaError_t err = cudaGetLastError();
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return err == cudaSuccess;
}
