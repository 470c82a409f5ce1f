// Übung 5: Skalarprodukt in doppelter Genauigkeit, zwei Stufen
// Stufe 1: jeder Block liefert eine Teilsumme, Stufe 2: ein Block addiert die Teilsummen.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define FEHLER(x) do { cudaError_t f_ = (x); if (f_ != cudaSuccess) { \
    printf("%s in Zeile %d\n", cudaGetErrorString(f_), __LINE__); exit(EXIT_FAILURE); } } while (0)

const int FAEDEN  = 256;
const int MAXBLK  = 640;

__device__ double warpSumme(double w)
{
    for (int abstand = 16; abstand > 0; abstand /= 2)
        w += __shfl_down_sync(0xffffffffu, w, abstand);
    return w;
}

// Ergebnis gilt nur in Faden 0
__device__ double blockSumme(double w)
{
    __shared__ double teil[32];
    int spur = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    w = warpSumme(w);
    if (spur == 0)
        teil[warp] = w;
    __syncthreads();
    if (warp == 0) {
        w = spur < FAEDEN / 32 ? teil[spur] : 0.0;
        w = warpSumme(w);
    }
    return w;
}

__global__ void stufe1(const double *x, const double *y, long long n, double *teilsummen)
{
    double s = 0.0;
    long long schritt = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += schritt)
        s += x[i] * y[i];
    s = blockSumme(s);
    if (threadIdx.x == 0)
        teilsummen[blockIdx.x] = s;
}

__global__ void stufe2(const double *teilsummen, int anzahl, double *ergebnis)
{
    double s = 0.0;
    for (int i = threadIdx.x; i < anzahl; i += blockDim.x)
        s += teilsummen[i];
    s = blockSumme(s);
    if (threadIdx.x == 0)
        *ergebnis = s;
}

double skalarprodukt(const double *x, const double *y, long long n)
{
    if (n <= 0) return 0.0;
    double *dx, *dy, *dt, *de, ergebnis;
    FEHLER(cudaMalloc(&dx, n * sizeof(double)));
    FEHLER(cudaMalloc(&dy, n * sizeof(double)));
    FEHLER(cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice));
    FEHLER(cudaMemcpy(dy, y, n * sizeof(double), cudaMemcpyHostToDevice));

    long long noetig = (n + FAEDEN - 1) / FAEDEN;
    int bloecke = noetig < MAXBLK ? (int)noetig : MAXBLK;
    FEHLER(cudaMalloc(&dt, bloecke * sizeof(double)));
    FEHLER(cudaMalloc(&de, sizeof(double)));

    stufe1<<<bloecke, FAEDEN>>>(dx, dy, n, dt);
    FEHLER(cudaGetLastError());
    stufe2<<<1, FAEDEN>>>(dt, bloecke, de);
    FEHLER(cudaGetLastError());
    FEHLER(cudaMemcpy(&ergebnis, de, sizeof(double), cudaMemcpyDeviceToHost));

    cudaFree(dx); cudaFree(dy); cudaFree(dt); cudaFree(de);
    return ergebnis;
}

int main()
{
    const long long groessen[] = {1, 31, 256, 257, 100003, 3000000};
    for (long long n : groessen) {
        double *x = new double[n], *y = new double[n], soll = 0.0;
        for (long long i = 0; i < n; ++i) {
            x[i] = 1.0 / (1 + i % 13);
            y[i] = (double)(i % 7) - 2.5;
            soll += x[i] * y[i];
        }
        double ist = skalarprodukt(x, y, n);
        printf("n = %8lld  soll %.10g  ist %.10g  %s\n", n, soll, ist,
               fabs(soll - ist) <= 1e-9 * (fabs(soll) + n) ? "ok" : "FALSCH");
        delete[] x;
        delete[] y;
    }
    return 0;
}
