// Histograma de 256 faixas com cópia privada por bloco
//
// chamada:
//   cudaMemset(hist, 0, 256 * sizeof(unsigned int));
//   histograma<<<64, 256>>>(dados, n, hist);

#define FAIXAS 256

__global__ void histograma(const unsigned char *dados, int n, unsigned int *hist)
{
    __shared__ unsigned int local[FAIXAS];

    for (int f = threadIdx.x; f < FAIXAS; f += blockDim.x)
        local[f] = 0;
    __syncthreads();

    int passo = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        local[dados[i]]++;
    __syncthreads();

    // junta no resultado global
    for (int f = threadIdx.x; f < FAIXAS; f += blockDim.x)
        if (local[f] > 0)
            atomicAdd(&hist[f], local[f]);
}
