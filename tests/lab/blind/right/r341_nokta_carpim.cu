// Odev 2: nokta carpimi, iki cekirdek ve warp karistirma (shuffle)
#include <cstdio>
#include <cstdlib>
#include <cmath>

constexpr int IPLIK = 256;
constexpr int WARP = 32;

__inline__ __device__ double warpTopla(double v)
{
    for (int adim = WARP / 2; adim > 0; adim >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, adim);
    return v;
}

// sonuc yalnizca 0 numarali iplikte gecerli
__device__ double blokTopla(double v)
{
    __shared__ double ara[IPLIK / WARP];
    int serit = threadIdx.x % WARP;
    int w = threadIdx.x / WARP;

    v = warpTopla(v);
    if (serit == 0)
        ara[w] = v;
    __syncthreads();

    v = (threadIdx.x < IPLIK / WARP) ? ara[serit] : 0.0;
    if (w == 0)
        v = warpTopla(v);
    return v;
}

__global__ void kismiCarpim(const double *x, const double *y, double *kismi, int n)
{
    double t = 0.0;
    for (int i = blockIdx.x * IPLIK + threadIdx.x; i < n; i += gridDim.x * IPLIK)
        t += x[i] * y[i];
    t = blokTopla(t);
    if (threadIdx.x == 0)
        kismi[blockIdx.x] = t;
}

__global__ void sonTopla(const double *kismi, double *sonuc, int adet)
{
    double t = 0.0;
    for (int i = threadIdx.x; i < adet; i += IPLIK)
        t += kismi[i];
    t = blokTopla(t);
    if (threadIdx.x == 0)
        *sonuc = t;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100003;
    if (n < 1) return 2;
    int blok = (n + IPLIK - 1) / IPLIK;
    if (blok > 300) blok = 300;

    double *hx = new double[n], *hy = new double[n], beklenen = 0, sonuc = 0;
    for (int i = 0; i < n; i++) {
        hx[i] = (i % 10) * 0.5;
        hy[i] = (i % 7) - 3.0;
        beklenen += hx[i] * hy[i];
    }

    double *x, *y, *kismi, *d;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    cudaMalloc(&kismi, blok * sizeof(double));
    cudaMalloc(&d, sizeof(double));
    cudaMemcpy(x, hx, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy, n * sizeof(double), cudaMemcpyHostToDevice);

    kismiCarpim<<<blok, IPLIK>>>(x, y, kismi, n);
    sonTopla<<<1, IPLIK>>>(kismi, d, blok);
    cudaMemcpy(&sonuc, d, sizeof(double), cudaMemcpyDeviceToHost);

    printf("karttan %.3f, beklenen %.3f\n", sonuc, beklenen);
    bool tamam = fabs(sonuc - beklenen) <= 1e-6 * (1 + fabs(beklenen));
    cudaFree(x); cudaFree(y); cudaFree(kismi); cudaFree(d);
    delete[] hx;
    delete[] hy;
    return tamam ? 0 : 1;
}
