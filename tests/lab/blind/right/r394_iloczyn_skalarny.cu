/* Iloczyn skalarny dwóch wektorów, dwa etapy:
 *  1) każdy blok sumuje swoją część (pętla z krokiem całej siatki, potem shuffle),
 *  2) jeden blok dodaje sumy częściowe.
 * Akumulujemy w double, żeby duże n nie psuło wyniku.  n >= 0 dowolne.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define WATKI 256
#define OSNOWA 32
#define PELNA_MASKA 0xffffffffu

__inline__ __device__ double sumaOsnowy(double x)
{
    for (int krok = OSNOWA / 2; krok > 0; krok >>= 1)
        x += __shfl_down_sync(PELNA_MASKA, x, krok);
    return x;
}

/* wynik ważny tylko w wątku 0 */
__inline__ __device__ double sumaBloku(double x)
{
    __shared__ double zOsnow[WATKI / OSNOWA];
    int pas = threadIdx.x % OSNOWA;
    int nr = threadIdx.x / OSNOWA;

    x = sumaOsnowy(x);
    if (pas == 0)
        zOsnow[nr] = x;
    __syncthreads();

    x = (threadIdx.x < WATKI / OSNOWA) ? zOsnow[threadIdx.x] : 0.0;
    if (nr == 0)
        x = sumaOsnowy(x);
    return x;
}

__global__ void etap1(const float *x, const float *y, double *czesciowe, size_t n)
{
    double s = 0.0;
    size_t krok = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += krok)
        s += (double)x[i] * (double)y[i];
    s = sumaBloku(s);
    if (threadIdx.x == 0)
        czesciowe[blockIdx.x] = s;
}

__global__ void etap2(const double *czesciowe, int ile, double *wynik)
{
    double s = 0.0;
    for (int i = threadIdx.x; i < ile; i += blockDim.x)
        s += czesciowe[i];
    s = sumaBloku(s);
    if (threadIdx.x == 0)
        *wynik = s;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)atoll(argv[1]) : 1000003;
    size_t rozmiar = (n ? n : 1) * sizeof(float);
    float *x = (float *)malloc(rozmiar), *y = (float *)malloc(rozmiar);
    double wzor = 0.0, wynik = -1.0;
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 17) * 0.25f - 2.0f;
        y[i] = (float)(i % 23) * 0.125f - 1.0f;
        wzor += (double)x[i] * y[i];
    }

    int bloki = (int)((n + WATKI - 1) / WATKI);
    if (n > (size_t)WATKI * 512) bloki = 512;
    if (bloki < 1) bloki = 1;

    float *dx, *dy;
    double *dczesc, *dwynik;
    cudaMalloc((void **)&dx, rozmiar);
    cudaMalloc((void **)&dy, rozmiar);
    cudaMalloc((void **)&dczesc, bloki * sizeof(double));
    cudaMalloc((void **)&dwynik, sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice);

    etap1<<<bloki, WATKI>>>(dx, dy, dczesc, n);
    etap2<<<1, WATKI>>>(dczesc, bloki, dwynik);
    cudaMemcpy(&wynik, dwynik, sizeof(double), cudaMemcpyDeviceToHost);

    printf("GPU %.6f  CPU %.6f  %s\n", wynik, wzor,
           fabs(wynik - wzor) <= 1e-9 * (fabs(wzor) + (double)n) ? "OK" : "BLAD");
    cudaFree(dx); cudaFree(dy); cudaFree(dczesc); cudaFree(dwynik);
    free(x); free(y);
    return 0;
}
