#include <cuda_runtime.h>
#include <stdlib.h>

#define BLOCK 256

// produit scalaire : une somme partielle par bloc
__global__ void produitScalaire(const float *u, const float *v, float *partiel, int n)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    float x = 0.0f;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += BLOCK * gridDim.x)
        x += u[i] * v[i];
    s[t] = x;
    __syncthreads();

    for (int pas = BLOCK >> 1; pas != 0; pas >>= 1) {
        if (t < pas)
            s[t] += s[t + pas];
        __syncthreads();
    }
    if (t == 0)
        partiel[blockIdx.x] = s[0];
}

float calcule(const float *h_u, const float *h_v, int n)
{
    int blocs = (n + BLOCK - 1) / BLOCK;
    size_t octets = n * sizeof(float);
    float *d_u, *d_v, *d_p;
    cudaMalloc((void **)&d_u, octets);
    cudaMalloc((void **)&d_v, octets);
    cudaMalloc((void **)&d_p, blocs * sizeof(float));
    cudaMemcpy(d_u, h_u, octets, cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, h_v, octets, cudaMemcpyHostToDevice);

    produitScalaire<<<blocs, BLOCK>>>(d_u, d_v, d_p, n);

    float *h_p = (float *)malloc(blocs * sizeof(float));
    cudaMemcpy(h_p, d_p, blocs * sizeof(float), cudaMemcpyDeviceToHost);
    float resultat = h_p[0];

    free(h_p);
    cudaFree(d_u);
    cudaFree(d_v);
    cudaFree(d_p);
    return resultat;
}
