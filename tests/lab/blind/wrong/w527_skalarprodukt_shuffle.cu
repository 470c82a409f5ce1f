// Skalarprodukt, zweistufige Reduktion mit Warp-Shuffles, zweiter Kernel fasst die Blöcke zusammen
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned ALLE = 0xFFFFFFFFu;
constexpr int BLOCKGROESSE = 512;
constexpr int MAX_BLOECKE = 256;

template <int BG>
__device__ float blockSumme(float v)
{
    constexpr int WARPS = BG / 32;
    __shared__ float teil[WARPS];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(ALLE, v, o);
    if (lane == 0) teil[warp] = v;
    __syncthreads();

    // der erste Warp addiert die Summen der Warps
    if (warp == 0) {
        v = lane < WARPS ? teil[lane] : 0.0f;
        for (int o = 4; o > 0; o >>= 1)
            v += __shfl_down_sync(ALLE, v, o);
    }
    return v; // nur in Thread 0 gültig
}

template <int BG>
__global__ void dotStufe1(const float *x, const float *y, float *zwischen, int n)
{
    float s = 0.0f;
    for (int i = blockIdx.x * BG + threadIdx.x; i < n; i += BG * gridDim.x)
        s = fmaf(x[i], y[i], s);
    s = blockSumme<BG>(s);
    if (threadIdx.x == 0) zwischen[blockIdx.x] = s;
}

template <int BG>
__global__ void dotStufe2(const float *zwischen, float *ergebnis, int anzahl)
{
    float s = 0.0f;
    for (int i = threadIdx.x; i < anzahl; i += BG)
        s += zwischen[i];
    s = blockSumme<BG>(s);
    if (threadIdx.x == 0) *ergebnis = s;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    if (n < 1) return 1;
    std::vector<float> x(n), y(n);
    double soll = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0f / (1 + i % 17);
        y[i] = (i % 5) * 0.5f;
        soll += (double)x[i] * y[i];
    }

    float *dx, *dy, *dz, *de;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dz, MAX_BLOECKE * sizeof(float));
    cudaMalloc(&de, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    int bloecke = (n + BLOCKGROESSE - 1) / BLOCKGROESSE;
    if (bloecke > MAX_BLOECKE) bloecke = MAX_BLOECKE;
    dotStufe1<BLOCKGROESSE><<<bloecke, BLOCKGROESSE>>>(dx, dy, dz, n);
    dotStufe2<128><<<1, 128>>>(dz, de, bloecke);

    float ist = 0.0f;
    cudaMemcpy(&ist, de, sizeof(float), cudaMemcpyDeviceToHost);
    printf("GPU %.4f  CPU %.4f  rel. Abweichung %.2e\n", ist, soll, fabs(ist - soll) / (fabs(soll) + 1e-12));
    cudaFree(dx); cudaFree(dy); cudaFree(dz); cudaFree(de);
    return 0;
}
