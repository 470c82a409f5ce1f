// Übung 3: Skalarprodukt in zwei Stufen
// Stufe 1: jeder Block bildet die Summe seines Abschnitts (Baum im Shared Memory)
// Stufe 2: ein einziger Block addiert die Teilsummen
// Die Blockgröße darf beliebig sein (1 bis 1024), auch ungerade.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define PRUEFE(aufruf)                                                        \
    {                                                                         \
        cudaError_t f_ = (aufruf);                                            \
        if (f_ != cudaSuccess) {                                              \
            printf("Zeile %d: %s\n", __LINE__, cudaGetErrorString(f_));       \
            return 1;                                                         \
        }                                                                     \
    }

// Summe von s[0..blockDim.x-1] nach s[0]; alle Threads des Blocks rufen auf
__device__ void baumsumme(float *s)
{
    const unsigned i = threadIdx.x;
    unsigned anzahl = blockDim.x;
    while (anzahl > 1) {
        const unsigned halb = (anzahl + 1) / 2;   // bei ungerader Anzahl bleibt die Mitte stehen
        if (i + halb < anzahl)
            s[i] += s[i + halb];
        __syncthreads();
        anzahl = halb;
    }
}

__global__ void stufe1(const float *x, const float *y, float *teil, int n)
{
    extern __shared__ float s[];
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = g < n ? x[g] * y[g] : 0.0f;
    __syncthreads();
    baumsumme(s);
    if (threadIdx.x == 0)
        teil[blockIdx.x] = s[0];
}

__global__ void stufe2(const float *teil, int bloecke, float *ergebnis)
{
    extern __shared__ float s[];
    float summe = 0.0f;
    for (int b = threadIdx.x; b < bloecke; b += blockDim.x)
        summe += teil[b];
    s[threadIdx.x] = summe;
    __syncthreads();
    baumsumme(s);
    if (threadIdx.x == 0)
        *ergebnis = s[0];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 10007;
    const int threads = argc > 2 ? atoi(argv[2]) : 125;
    if (n < 1 || threads < 1 || threads > 1024) {
        printf("Aufruf: %s n threads\n", argv[0]);
        return 1;
    }
    const int bloecke = (n + threads - 1) / threads;

    float *x = (float *)malloc(n * sizeof(float));
    float *y = (float *)malloc(n * sizeof(float));
    double soll = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 4);
        y[i] = (float)(i % 3) - 1.0f;
        soll += (double)x[i] * y[i];
    }

    float *dx, *dy, *dteil, *derg, erg;
    PRUEFE(cudaMalloc(&dx, n * sizeof(float)));
    PRUEFE(cudaMalloc(&dy, n * sizeof(float)));
    PRUEFE(cudaMalloc(&dteil, bloecke * sizeof(float)));
    PRUEFE(cudaMalloc(&derg, sizeof(float)));
    PRUEFE(cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice));

    stufe1<<<bloecke, threads, threads * sizeof(float)>>>(dx, dy, dteil, n);
    PRUEFE(cudaGetLastError());
    stufe2<<<1, threads, threads * sizeof(float)>>>(dteil, bloecke, derg);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaMemcpy(&erg, derg, sizeof(float), cudaMemcpyDeviceToHost));

    printf("GPU %.1f  CPU %.1f\n", erg, soll);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dteil);
    cudaFree(derg);
    free(x);
    free(y);
    return fabs(erg - soll) > 0.5;
}
