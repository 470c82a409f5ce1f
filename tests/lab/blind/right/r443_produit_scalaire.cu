#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

const int FILS = 128;
const int BLOCS_MAX = 64;

__device__ float partiels[BLOCS_MAX];
__device__ unsigned int arrives = 0;

// Produit scalaire en un seul lancement : le dernier bloc arrive fait le total.
__global__ void scalaire(const float *x, const float *y, float *resultat, int n)
{
    __shared__ float cache[FILS];
    __shared__ bool dernier;

    int t = threadIdx.x;
    float s = 0.0f;
    for (int i = blockIdx.x * FILS + t; i < n; i += FILS * gridDim.x)
        s += x[i] * y[i];
    cache[t] = s;
    __syncthreads();

    for (int pas = FILS / 2; pas > 0; pas /= 2) {
        if (t < pas)
            cache[t] += cache[t + pas];
        __syncthreads();
    }

    if (t == 0) {
        partiels[blockIdx.x] = cache[0];
        __threadfence();
        // atomicInc revient a zero apres le dernier bloc : pret pour l'appel suivant
        unsigned int rang = atomicInc(&arrives, gridDim.x - 1);
        dernier = (rang == gridDim.x - 1);
    }
    __syncthreads();

    if (dernier && t == 0) {
        volatile float *p = partiels;
        float total = 0.0f;
        for (unsigned int b = 0; b < gridDim.x; b++)
            total += p[b];
        *resultat = total;
    }
}

float produit_scalaire(const float *x, const float *y, float *res, int n)
{
    int blocs = (n + FILS - 1) / FILS;
    if (blocs > BLOCS_MAX) blocs = BLOCS_MAX;
    if (blocs < 1) blocs = 1;
    scalaire<<<blocs, FILS>>>(x, y, res, n);
    cudaDeviceSynchronize();
    return *res;
}

int main()
{
    const int tailles[] = {1, 100, 128, 5000, 40001};
    float *x, *y, *res;
    cudaMallocManaged(&x, 40001 * sizeof(float));
    cudaMallocManaged(&y, 40001 * sizeof(float));
    cudaMallocManaged(&res, sizeof(float));
    for (int i = 0; i < 40001; i++) {
        x[i] = (i % 5) * 0.25f;
        y[i] = (i % 3) - 1.0f;
    }

    int fautes = 0;
    for (int n : tailles) {
        double juste = 0;
        for (int i = 0; i < n; i++) juste += (double)x[i] * y[i];
        float obtenu = produit_scalaire(x, y, res, n);
        printf("n = %6d : %f (attendu %f)\n", n, obtenu, juste);
        if (fabs(obtenu - juste) > 1e-3 * (1 + fabs(juste))) fautes++;
    }
    cudaFree(x);
    cudaFree(y);
    cudaFree(res);
    return fautes;
}
