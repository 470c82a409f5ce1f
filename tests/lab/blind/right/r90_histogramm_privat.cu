// Histogramm mit 256 Klassen, jeder Block zaehlt erst privat im Shared Memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define KLASSEN 256

__global__ void histogramm(const unsigned char *daten, unsigned int *haeufigkeit, unsigned int anzahl)
{
    __shared__ unsigned int lokal[KLASSEN];
    for (unsigned int k = threadIdx.x; k < KLASSEN; k += blockDim.x)
        lokal[k] = 0;
    __syncthreads();

    unsigned int schritt = blockDim.x * gridDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < anzahl; i += schritt)
        atomicAdd(&lokal[daten[i]], 1u);
    __syncthreads();

    for (unsigned int k = threadIdx.x; k < KLASSEN; k += blockDim.x)
        if (lokal[k] != 0)
            atomicAdd(&haeufigkeit[k], lokal[k]);
}

int main()
{
    const unsigned int n = 50001;
    unsigned char *h = (unsigned char *)malloc(n);
    unsigned int soll[KLASSEN], ist[KLASSEN];
    memset(soll, 0, sizeof(soll));
    for (unsigned int i = 0; i < n; i++) {
        h[i] = (unsigned char)(rand() & 0xff);
        soll[h[i]]++;
    }
    unsigned char *d;
    unsigned int *dh;
    cudaMalloc((void **)&d, n);
    cudaMalloc((void **)&dh, KLASSEN * sizeof(unsigned int));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    cudaMemset(dh, 0, KLASSEN * sizeof(unsigned int));
    histogramm<<<12, 192>>>(d, dh, n);
    cudaMemcpy(ist, dh, sizeof(ist), cudaMemcpyDeviceToHost);
    int gleich = memcmp(soll, ist, sizeof(ist)) == 0;
    printf("%s\n", gleich ? "richtig" : "falsch");
    cudaFree(d); cudaFree(dh);
    free(h);
    return !gleich;
}
