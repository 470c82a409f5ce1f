// Istogramma dei byte di un buffer (256 classi) con contatori privati
// per blocco in memoria condivisa.
#include <cstdio>
#include <cuda_runtime.h>

namespace {

constexpr int CLASSI = 256;
constexpr int FILI = 128;

__global__ void istogramma(const unsigned char *dati, size_t n, unsigned int *conteggi)
{
    __shared__ unsigned int locale[CLASSI];

    for (int c = threadIdx.x; c < CLASSI; c += blockDim.x)
        locale[c] = 0u;
    __syncthreads();

    // La parte principale viene letta a gruppi di quattro byte.
    const size_t gruppi = n / 4;
    const uchar4 *dati4 = reinterpret_cast<const uchar4 *>(dati);
    const size_t indice = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t passo = (size_t)gridDim.x * blockDim.x;

    for (size_t g = indice; g < gruppi; g += passo) {
        const uchar4 q = dati4[g];
        atomicAdd(&locale[q.x], 1u);
        atomicAdd(&locale[q.y], 1u);
        atomicAdd(&locale[q.z], 1u);
        atomicAdd(&locale[q.w], 1u);
    }

    // Coda: al massimo tre byte.
    for (size_t i = gruppi * 4 + indice; i < n; i += passo)
        atomicAdd(&locale[dati[i]], 1u);
    __syncthreads();

    for (int c = threadIdx.x; c < CLASSI; c += blockDim.x)
        if (locale[c] != 0u)
            atomicAdd(&conteggi[c], locale[c]);
}

bool fallito(cudaError_t stato, const char *dove)
{
    if (stato == cudaSuccess)
        return false;
    std::fprintf(stderr, "%s: %s\n", dove, cudaGetErrorString(stato));
    return true;
}

} // namespace

// Riempie conteggi[256] sull'host. Restituisce false in caso di errore.
// n puo' essere zero; deve essere minore di 2^32.
bool calcolaIstogramma(const unsigned char *dati, size_t n, unsigned int *conteggi)
{
    unsigned char *d_dati = nullptr;
    unsigned int *d_conteggi = nullptr;
    bool ok = false;

    do {
        if (fallito(cudaMalloc(&d_dati, n > 0 ? n : 1), "malloc dati")) break;
        if (fallito(cudaMalloc(&d_conteggi, CLASSI * sizeof(unsigned int)), "malloc conteggi")) break;
        if (fallito(cudaMemcpy(d_dati, dati, n, cudaMemcpyHostToDevice), "copia dati")) break;
        if (fallito(cudaMemset(d_conteggi, 0, CLASSI * sizeof(unsigned int)), "azzeramento")) break;

        size_t blocchi = (n / 4 + FILI - 1) / FILI;
        if (blocchi < 1) blocchi = 1;
        if (blocchi > 240) blocchi = 240;
        istogramma<<<(unsigned int)blocchi, FILI>>>(d_dati, n, d_conteggi);
        if (fallito(cudaGetLastError(), "lancio")) break;

        if (fallito(cudaMemcpy(conteggi, d_conteggi, CLASSI * sizeof(unsigned int),
                               cudaMemcpyDeviceToHost), "copia conteggi")) break;
        ok = true;
    } while (false);

    cudaFree(d_dati);
    cudaFree(d_conteggi);
    return ok;
}
