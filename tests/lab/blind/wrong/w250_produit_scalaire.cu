// TP 2 : produit scalaire, reduction en arbre dans la memoire partagee
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define NB_FILS  128
#define NB_BLOCS 96

__global__ void produitScalaire(const float *u, const float *v, float *partiels, int n)
{
    __shared__ float tampon[NB_FILS];
    int t = threadIdx.x;

    float acc = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        acc += u[i] * v[i];
    tampon[t] = acc;
    __syncthreads();

    for (int pas = blockDim.x / 2; pas > 1; pas /= 2) {
        if (t < pas)
            tampon[t] += tampon[t + pas];
        __syncthreads();
    }

    if (t == 0)
        partiels[blockIdx.x] = tampon[0];
}

int main()
{
    int n = 200000;
    size_t octets = n * sizeof(float);
    float *u = (float *)malloc(octets), *v = (float *)malloc(octets);
    float partiels[NB_BLOCS];
    double attendu = 0.0;
    for (int i = 0; i < n; i++) {
        u[i] = rand() / (float)RAND_MAX;
        v[i] = rand() / (float)RAND_MAX;
        attendu += (double)u[i] * v[i];
    }

    float *du, *dv, *dp;
    cudaMalloc(&du, octets);
    cudaMalloc(&dv, octets);
    cudaMalloc(&dp, sizeof(partiels));
    cudaMemcpy(du, u, octets, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, octets, cudaMemcpyHostToDevice);

    produitScalaire<<<NB_BLOCS, NB_FILS>>>(du, dv, dp, n);
    cudaMemcpy(partiels, dp, sizeof(partiels), cudaMemcpyDeviceToHost);

    double somme = 0.0;
    for (int b = 0; b < NB_BLOCS; b++)
        somme += partiels[b];
    printf("gpu %f cpu %f ecart %g\n", somme, attendu, fabs(somme - attendu));

    cudaFree(du);
    cudaFree(dv);
    cudaFree(dp);
    free(u);
    free(v);
    return 0;
}
