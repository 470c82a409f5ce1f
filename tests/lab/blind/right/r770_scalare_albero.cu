// Prodotto scalare: somma parziale per blocco con albero in memoria condivisa,
// poi la CPU somma i parziali.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define BLOCCO 256   // potenza di due

__global__ void parziali(const float *x, const float *y, float *somme, int n)
{
    __shared__ float cache[BLOCCO];
    int tid = threadIdx.x;

    float s = 0.0f;
    for (int i = blockIdx.x * BLOCCO + tid; i < n; i += gridDim.x * BLOCCO)
        s += x[i] * y[i];
    cache[tid] = s;
    __syncthreads();

    for (int meta = BLOCCO / 2; meta > 0; meta >>= 1) {
        if (tid < meta)
            cache[tid] += cache[tid + meta];
        __syncthreads();
    }
    if (tid == 0)
        somme[blockIdx.x] = cache[0];
}

double scalare(const float *dx, const float *dy, int n)
{
    int blocchi = (n + BLOCCO - 1) / BLOCCO;
    if (blocchi > 120) blocchi = 120;

    float *dSomme;
    cudaMalloc(&dSomme, blocchi * sizeof(float));
    parziali<<<blocchi, BLOCCO>>>(dx, dy, dSomme, n);

    std::vector<float> somme(blocchi);
    cudaMemcpy(somme.data(), dSomme, blocchi * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dSomme);

    double totale = 0.0;
    for (float v : somme) totale += v;
    return totale;
}

int main()
{
    const int prove[] = {1, 255, 256, 1000, 123457};
    bool tutto = true;
    for (int n : prove) {
        std::vector<float> x(n), y(n);
        double atteso = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = (i % 100) * 0.01f;
            y[i] = ((i * 3) % 50) * 0.02f;
            atteso += (double)x[i] * y[i];
        }
        float *dx, *dy;
        cudaMalloc(&dx, n * sizeof(float));
        cudaMalloc(&dy, n * sizeof(float));
        cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        double trovato = scalare(dx, dy, n);
        if (cudaGetLastError() != cudaSuccess) tutto = false;
        cudaFree(dx);
        cudaFree(dy);
        if (!(std::fabs(trovato - atteso) <= 1e-4 * std::fabs(atteso) + 1e-6)) tutto = false;
    }
    printf("prodotto scalare: %s\n", tutto ? "OK" : "FAILED");
    return tutto ? 0 : 1;
}
