// Skalaris szorzat egyetlen kernellel: az utoljara vegzo blokk adja ossze
// a reszosszegeket. A szamlalo atomicInc miatt magatol visszaall nullara.
#include <cstdio>
#include <cmath>
#include <vector>

#define SZALAK 192
#define MAXBLOKK 240

__device__ unsigned int kesz_blokkok = 0;
__device__ float reszek[MAXBLOKK];

// osszeg a blokkon belul, 192 szal = 6 warp
__device__ float blokk_osszeg(float v, float *munka)
{
    int t = threadIdx.x;
    munka[t] = v;
    __syncthreads();
    // 192 = 3 * 64: eloszor a harom harmadot, aztan felezve
    if (t < 64)
        munka[t] += munka[t + 64] + munka[t + 128];
    __syncthreads();
    for (int f = 32; f > 0; f /= 2) {
        if (t < f)
            munka[t] += munka[t + f];
        __syncthreads();
    }
    float eredmeny = munka[0];
    __syncthreads();          // a munkaterulet ujra hasznalhato
    return eredmeny;
}

__global__ void skalaris(const float *x, const float *y, int n, float *ki)
{
    __shared__ float munka[SZALAK];
    __shared__ bool utolso;

    float s = 0.f;
    for (long long i = (long long)blockIdx.x * SZALAK + threadIdx.x; i < n;
         i += (long long)gridDim.x * SZALAK)
        s += x[i] * y[i];
    s = blokk_osszeg(s, munka);

    if (threadIdx.x == 0) {
        reszek[blockIdx.x] = s;
        __threadfence();
        unsigned int sorszam = atomicInc(&kesz_blokkok, gridDim.x - 1);
        utolso = (sorszam == gridDim.x - 1);
    }
    __syncthreads();

    if (utolso) {
        __threadfence();
        volatile const float *r = reszek;
        float v = 0.f;
        for (int b = threadIdx.x; b < gridDim.x; b += SZALAK)
            v += r[b];
        v = blokk_osszeg(v, munka);
        if (threadIdx.x == 0)
            *ki = v;
    }
}

int main()
{
    const int nagy = 200000;
    std::vector<float> x(nagy), y(nagy);
    for (int i = 0; i < nagy; i++) {
        x[i] = (float)(i % 7) - 2.0f;
        y[i] = (float)(i % 5) * 0.5f;
    }
    float *dx, *dy, *dki;
    cudaMalloc(&dx, nagy * sizeof(float));
    cudaMalloc(&dy, nagy * sizeof(float));
    cudaMalloc(&dki, sizeof(float));
    cudaMemcpy(dx, x.data(), nagy * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), nagy * sizeof(float), cudaMemcpyHostToDevice);

    int rossz = 0;
    const int meretek[] = {nagy, 191, 5000, nagy};
    for (int n : meretek) {
        int blokk = (n + SZALAK - 1) / SZALAK;
        if (blokk > MAXBLOKK) blokk = MAXBLOKK;
        skalaris<<<blokk, SZALAK>>>(dx, dy, n, dki);
        float gpu = NAN;
        if (cudaGetLastError() != cudaSuccess) rossz++;
        if (cudaMemcpy(&gpu, dki, sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) rossz++;
        double cpu = 0;
        for (int i = 0; i < n; i++) cpu += (double)x[i] * y[i];
        if (!(std::fabs(gpu - cpu) <= 1e-4 * n)) rossz++;
    }
    cudaFree(dx); cudaFree(dy); cudaFree(dki);
    printf("skalaris szorzat, hibak: %d %s\n", rossz, rossz ? "FAILED" : "OK");
    return rossz ? 1 : 0;
}
