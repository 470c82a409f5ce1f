// Istogramma delle frequenze dei byte, prima in memoria condivisa.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSI 256

__global__ void istogramma(const unsigned char *dati, int n, unsigned int *freq)
{
    __shared__ unsigned int locale[CLASSI];

    for (int i = threadIdx.x; i < CLASSI; i += blockDim.x)
        locale[i] = 0;
    __syncthreads();

    int passo = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        locale[dati[i]]++;
    __syncthreads();

    for (int i = threadIdx.x; i < CLASSI; i += blockDim.x)
        atomicAdd(&freq[i], locale[i]);
}

int main()
{
    const int n = 1 << 20;
    unsigned char *dati = (unsigned char *)malloc(n);
    unsigned int atteso[CLASSI], freq[CLASSI];
    memset(atteso, 0, sizeof(atteso));
    for (int i = 0; i < n; i++) {
        dati[i] = rand() % CLASSI;
        atteso[dati[i]]++;
    }

    unsigned char *d_dati;
    unsigned int *d_freq;
    cudaMalloc(&d_dati, n);
    cudaMalloc(&d_freq, sizeof(freq));
    cudaMemcpy(d_dati, dati, n, cudaMemcpyHostToDevice);
    cudaMemset(d_freq, 0, sizeof(freq));

    istogramma<<<64, 256>>>(d_dati, n, d_freq);
    cudaMemcpy(freq, d_freq, sizeof(freq), cudaMemcpyDeviceToHost);

    int diversi = 0;
    for (int i = 0; i < CLASSI; i++)
        if (freq[i] != atteso[i])
            diversi++;
    printf("classi diverse: %d\n", diversi);
    cudaFree(d_dati);
    cudaFree(d_freq);
    free(dati);
    return diversi != 0;
}
