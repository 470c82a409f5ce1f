// Скалярное произведение двух векторов: два ядра.
// Первое ядро даёт по одной сумме на блок, второе складывает их одним блоком.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOK   256
#define SETKA  96

__device__ double summa_bloka(double v)
{
    __shared__ double po_varpam[32];
    int polosa = threadIdx.x & 31;
    int varp   = threadIdx.x >> 5;

    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (polosa == 0)
        po_varpam[varp] = v;
    __syncthreads();

    // первый варп складывает суммы варпов
    v = (threadIdx.x < blockDim.x / 32) ? po_varpam[polosa] : 0.0;
    if (varp == 0)
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffff, v, d);
    return v;      // верно только в нити 0
}

__global__ void yadro1(const float *a, const float *b, size_t n, double *chast)
{
    double s = 0.0;
    size_t shag = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += shag)
        s += (double)a[i] * (double)b[i];
    s = summa_bloka(s);
    if (threadIdx.x == 0) chast[blockIdx.x] = s;
}

__global__ void yadro2(const double *chast, int kolvo, double *itog)
{
    double s = 0.0;
    for (int i = threadIdx.x; i < kolvo; i += blockDim.x)
        s += chast[i];
    s = summa_bloka(s);
    if (threadIdx.x == 0) *itog = s;
}

double skalyarnoe(const float *a, const float *b, size_t n)
{
    float *da, *db;
    double *dchast, *ditog, itog;
    cudaMalloc((void **)&da, n * sizeof(float));
    cudaMalloc((void **)&db, n * sizeof(float));
    cudaMalloc((void **)&dchast, SETKA * sizeof(double));
    cudaMalloc((void **)&ditog, sizeof(double));
    cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice);

    yadro1<<<SETKA, BLOK>>>(da, db, n, dchast);
    yadro2<<<1, BLOK>>>(dchast, SETKA, ditog);

    cudaMemcpy(&itog, ditog, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dchast); cudaFree(ditog);
    return itog;
}

int main(void)
{
    size_t n = 54321;
    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    double etalon = 0.0;
    for (size_t i = 0; i < n; i++) {
        a[i] = sinf(0.001f * i);
        b[i] = 1.0f / (1.0f + i % 100);
        etalon += (double)a[i] * b[i];
    }
    printf("%.12g  %.12g\n", skalyarnoe(a, b, n), etalon);
    free(a); free(b);
    return 0;
}
