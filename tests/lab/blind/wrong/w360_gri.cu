/* Lab 7: gri seviye histogrami
   Iki goruntunun histogrami ayni GPU tamponlariyla arka arkaya hesaplanir. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEVIYE 256

__global__ void histogram(const unsigned char *goruntu, int adet, int *hist)
{
    __shared__ int yerel[SEVIYE];

    for (int i = threadIdx.x; i < SEVIYE; i += blockDim.x)
        yerel[i] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < adet; i += blockDim.x * gridDim.x)
        atomicAdd(&yerel[goruntu[i]], 1);
    __syncthreads();

    for (int i = threadIdx.x; i < SEVIYE; i += blockDim.x)
        atomicAdd(&hist[i], yerel[i]);
}

int main(int argc, char **argv)
{
    int en  = argc > 1 ? atoi(argv[1]) : 201;
    int boy = argc > 2 ? atoi(argv[2]) : 150;
    int adet = en * boy;

    unsigned char *goruntu = (unsigned char *)malloc(adet);
    int hist[SEVIYE], dogru[SEVIYE];
    unsigned char *dg;
    int *dh;
    cudaMalloc((void **)&dg, adet);
    cudaMalloc((void **)&dh, SEVIYE * sizeof(int));

    for (int g = 0; g < 2; g++) {
        memset(dogru, 0, SEVIYE * sizeof(int));
        for (int i = 0; i < adet; i++) {
            goruntu[i] = (unsigned char)(rand() >> 4);
            dogru[goruntu[i]]++;
        }
        cudaMemcpy(dg, goruntu, adet, cudaMemcpyHostToDevice);
        cudaMemset(dh, 0, SEVIYE);

        histogram<<<30, 192>>>(dg, adet, dh);
        cudaMemcpy(hist, dh, SEVIYE * sizeof(int), cudaMemcpyDeviceToHost);

        int fark = 0;
        for (int i = 0; i < SEVIYE; i++)
            if (hist[i] != dogru[i]) fark++;
        printf("goruntu %d: %d seviye farkli\n", g + 1, fark);
    }
    cudaFree(dg);
    cudaFree(dh);
    free(goruntu);
    return 0;
}
