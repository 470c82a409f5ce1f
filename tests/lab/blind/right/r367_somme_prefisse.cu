// Esercitazione: somme prefisse inclusive di un vettore di interi.
// Tre passi: (1) ogni blocco calcola le sue somme prefisse,
// (2) un solo blocco trasforma i totali in riporti, (3) si aggiungono i riporti.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define DIM 512

// Somme prefisse (inclusive) su DIM valori, due buffer alternati.
__device__ int prefissoBlocco(int valore, int (*buf)[DIM])
{
    int t = threadIdx.x;
    int corrente = 0;
    buf[0][t] = valore;
    __syncthreads();
    for (int d = 1; d < DIM; d *= 2) {
        int s = buf[corrente][t];
        if (t >= d) s += buf[corrente][t - d];
        buf[1 - corrente][t] = s;
        corrente = 1 - corrente;
        __syncthreads();
    }
    return buf[corrente][t];
}

__global__ void passo1(const int* in, int* out, int* totali, int n)
{
    __shared__ int buf[2][DIM];
    int i = blockIdx.x * DIM + threadIdx.x;
    int p = prefissoBlocco(i < n ? in[i] : 0, buf);
    if (i < n) out[i] = p;
    if (threadIdx.x == DIM - 1) totali[blockIdx.x] = p;
}

// Un solo blocco: totali[b] diventa la somma dei totali dei blocchi 0..b-1.
__global__ void passo2(int* totali, int nb)
{
    __shared__ int buf[2][DIM];
    __shared__ int riporto;
    if (threadIdx.x == 0) riporto = 0;
    __syncthreads();
    for (int base = 0; base < nb; base += DIM) {
        int i = base + threadIdx.x;
        int v = i < nb ? totali[i] : 0;
        int p = prefissoBlocco(v, buf);
        if (i < nb) totali[i] = riporto + p - v;
        __syncthreads();
        if (threadIdx.x == DIM - 1) riporto += p;
        __syncthreads();
    }
}

__global__ void passo3(int* out, const int* totali, int n)
{
    int i = blockIdx.x * DIM + threadIdx.x;
    if (i < n) out[i] += totali[blockIdx.x];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 1234567;
    if (n < 1 || n > 1000000000) { std::printf("serve 1 <= n <= 1000000000\n"); return 1; }
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = (i % 11 * 7 + 3) % 11 - 5;

    int nb = (n - 1) / DIM + 1;
    int *dIn, *dOut, *dTot;
    cudaMalloc(&dIn, (size_t)n * sizeof(int));
    cudaMalloc(&dOut, (size_t)n * sizeof(int));
    cudaMalloc(&dTot, nb * sizeof(int));
    cudaMemcpy(dIn, h.data(), (size_t)n * sizeof(int), cudaMemcpyHostToDevice);

    passo1<<<nb, DIM>>>(dIn, dOut, dTot, n);
    passo2<<<1, DIM>>>(dTot, nb);
    passo3<<<nb, DIM>>>(dOut, dTot, n);

    cudaError_t e = cudaMemcpy(r.data(), dOut, (size_t)n * sizeof(int), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) { std::printf("%s\n", cudaGetErrorString(e)); return 1; }

    int somma = 0;
    for (int i = 0; i < n; i++) {
        somma += h[i];
        if (r[i] != somma) {
            std::printf("errore in posizione %d: %d invece di %d\n", i, r[i], somma);
            return 1;
        }
    }
    std::printf("tutto giusto, ultima somma = %d\n", somma);
    cudaFree(dIn); cudaFree(dOut); cudaFree(dTot);
    return 0;
}
