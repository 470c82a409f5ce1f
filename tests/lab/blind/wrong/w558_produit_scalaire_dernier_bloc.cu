// Produit scalaire en un seul lancement : le dernier bloc termine le travail.
#include <cuda_runtime.h>
#include <algorithm>

#define NT 256
#define MAX_BLOCS 1024

__device__ unsigned int compteur = 0;

__device__ void reduire(float *s, int tid)
{
    for (int d = NT / 2; d > 0; d >>= 1) {
        if (tid < d)
            s[tid] += s[tid + d];
        __syncthreads();
    }
}

__global__ void produitScalaire(const float *a, const float *b, volatile float *partiels,
                                float *res, int n)
{
    __shared__ float s[NT];
    __shared__ bool dernier;
    int tid = threadIdx.x;

    float somme = 0.0f;
    for (int i = blockIdx.x * NT + tid; i < n; i += NT * gridDim.x)
        somme += a[i] * b[i];
    s[tid] = somme;
    __syncthreads();
    reduire(s, tid);

    if (tid == 0) {
        partiels[blockIdx.x] = s[0];
        __threadfence();
        unsigned int v = atomicAdd(&compteur, 1);
        dernier = (v == gridDim.x - 1);
    }
    __syncthreads();

    // le dernier bloc additionne les sommes partielles de tous les blocs
    if (dernier) {
        __threadfence();
        s[tid] = (tid < gridDim.x) ? partiels[tid] : 0.0f;
        __syncthreads();
        reduire(s, tid);
        if (tid == 0) {
            *res = s[0];
            compteur = 0;
        }
    }
}

float dot(const float *ha, const float *hb, int n)   // 1 <= n <= 2^30
{
    int blocs = std::min((n + NT - 1) / NT, MAX_BLOCS);
    float *da, *db, *dp, *dr, r;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dp, MAX_BLOCS * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(da, ha, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, n * sizeof(float), cudaMemcpyHostToDevice);
    produitScalaire<<<blocs, NT>>>(da, db, dp, dr, n);
    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dp); cudaFree(dr);
    return r;
}
