// Skalarprodukt in einem einzigen Kernel: der zuletzt fertige Block
// summiert die Teilsummen aller Bloecke.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int FAEDEN = 128;
constexpr int MAX_BLOECKE = 200;

__device__ unsigned int fertigeBloecke = 0;   // wird vom letzten Block zurueckgesetzt

__device__ double blockSumme(double wert)
{
    __shared__ double feld[FAEDEN];
    feld[threadIdx.x] = wert;
    __syncthreads();
    for (int h = FAEDEN / 2; h >= 1; h /= 2) {
        if (threadIdx.x < h)
            feld[threadIdx.x] += feld[threadIdx.x + h];
        __syncthreads();
    }
    double ergebnis = feld[0];
    __syncthreads();      // damit feld danach wieder benutzt werden darf
    return ergebnis;
}

__global__ void skalarprodukt(const double *x, const double *y, int n,
                              volatile double *teil, double *ergebnis)
{
    __shared__ bool binLetzter;

    double s = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * y[i];
    s = blockSumme(s);

    if (threadIdx.x == 0) {
        teil[blockIdx.x] = s;
        __threadfence();
        unsigned int nummer = atomicAdd(&fertigeBloecke, 1u);
        binLetzter = (nummer == gridDim.x - 1);
        __threadfence();
    }
    __syncthreads();

    if (binLetzter) {
        double t = 0.0;
        for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            t += teil[b];
        t = blockSumme(t);
        if (threadIdx.x == 0) {
            *ergebnis = t;
            fertigeBloecke = 0;   // fuer den naechsten Aufruf
        }
    }
}

int main()
{
    bool gut = true;
    double *dTeil, *dErg;
    cudaMalloc(&dTeil, MAX_BLOECKE * sizeof(double));
    cudaMalloc(&dErg, sizeof(double));

    for (int n : {7, 128, 5000, 300001}) {
        std::vector<double> x(n), y(n);
        double soll = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = std::sin(0.001 * i);
            y[i] = 1.0 + (i % 4);
            soll += x[i] * y[i];
        }
        double *dx, *dy;
        cudaMalloc(&dx, n * sizeof(double));
        cudaMalloc(&dy, n * sizeof(double));
        cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);

        int bloecke = (n + FAEDEN - 1) / FAEDEN;
        if (bloecke > MAX_BLOECKE) bloecke = MAX_BLOECKE;
        skalarprodukt<<<bloecke, FAEDEN>>>(dx, dy, n, dTeil, dErg);
        double ist = -1e30;
        if (cudaMemcpy(&ist, dErg, sizeof(double), cudaMemcpyDeviceToHost) != cudaSuccess) gut = false;
        if (!(std::fabs(ist - soll) <= 1e-7 * (1.0 + std::fabs(soll)))) gut = false;
        cudaFree(dx);
        cudaFree(dy);
    }
    cudaFree(dTeil);
    cudaFree(dErg);
    printf("Skalarprodukt mit letztem Block: %s\n", gut ? "OK" : "FAILED");
    return gut ? 0 : 1;
}
