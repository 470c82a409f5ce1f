// Iloczyn skalarny: redukcja w warpach, potem pierwszy warp sumuje wyniki warpów.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

#define WATKI 192
#define WARPY (WATKI / 32)
#define PELNA 0xffffffffu

__device__ inline float suma_warpa(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(PELNA, v, d);
    return v;
}

__global__ void iloczyn(const float *x, const float *y, int n, float *wynik)
{
    __shared__ float s[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int i = blockIdx.x * WATKI + threadIdx.x;

    float v = (i < n) ? x[i] * y[i] : 0.0f;
    v = suma_warpa(v);
    if (lane == 0)
        s[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = s[lane];
        v = suma_warpa(v);
        if (lane == 0)
            atomicAdd(wynik, v);
    }
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 50000;
    size_t rozmiar = n * sizeof(float);
    float *x = (float *)malloc(rozmiar);
    float *y = (float *)malloc(rozmiar);
    double oczekiwany = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (i % 9) * 0.5f;
        y[i] = (i % 4) * 0.25f;
        oczekiwany += (double)x[i] * y[i];
    }

    float *dx, *dy, *dw, wynik;
    cudaMalloc(&dx, rozmiar);
    cudaMalloc(&dy, rozmiar);
    cudaMalloc(&dw, sizeof(float));
    cudaMemcpy(dx, x, rozmiar, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, rozmiar, cudaMemcpyHostToDevice);
    cudaMemset(dw, 0, sizeof(float));

    int bloki = (n + WATKI - 1) / WATKI;
    iloczyn<<<bloki, WATKI>>>(dx, dy, n, dw);
    cudaMemcpy(&wynik, dw, sizeof(float), cudaMemcpyDeviceToHost);

    printf("wynik %f, oczekiwany %f\n", wynik, oczekiwany);

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dw);
    free(x);
    free(y);
    return fabs(wynik - oczekiwany) > 1e-3 * oczekiwany;
}
