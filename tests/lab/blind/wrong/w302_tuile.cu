// TP2 : produit scalaire par tuiles, reduction en memoire partagee
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TUILE 512

__global__ void produitScalaire(const double *u, const double *v, double *res, int n)
{
    __shared__ double cache[TUILE];

    int tid = threadIdx.x;
    int i = blockIdx.x * TUILE + tid;

    cache[tid] = i < n ? u[i] * v[i] : 0.0;
    __syncthreads();

    for (int pas = TUILE / 2; pas > 0; pas >>= 1) {
        if (tid < pas)
            cache[tid] += cache[tid + pas];
    }

    if (tid == 0)
        atomicAdd(res, cache[0]);
}

int main()
{
    const int n = 250000;
    double *u, *v, *res;
    if (cudaMallocManaged(&u, n * sizeof(double)) != cudaSuccess ||
        cudaMallocManaged(&v, n * sizeof(double)) != cudaSuccess ||
        cudaMallocManaged(&res, sizeof(double)) != cudaSuccess) {
        std::printf("allocation impossible\n");
        return 1;
    }
    double attendu = 0.0;
    for (int i = 0; i < n; ++i) {
        u[i] = 1.0 / (1 + i % 50);
        v[i] = (double)(i % 7);
        attendu += u[i] * v[i];
    }
    *res = 0.0;

    produitScalaire<<<(n + TUILE - 1) / TUILE, TUILE>>>(u, v, res, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        std::printf("erreur : %s\n", cudaGetErrorString(e));
        return 1;
    }
    std::printf("resultat %.10g attendu %.10g : %s\n", *res, attendu,
                std::fabs(*res - attendu) < 1e-8 * attendu ? "bon" : "mauvais");
    cudaFree(u); cudaFree(v); cudaFree(res);
    return 0;
}
