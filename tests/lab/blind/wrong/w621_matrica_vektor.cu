// Vježba 4: množenje matrice i vektora u dvostrukoj preciznosti
// y[r] = suma A[r][s] * x[s]; dijelovi vektora x čuvaju se u dijeljenoj memoriji
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NITI 128

__global__ void mnozi(const double *A, const double *x, double *y, int redaka, int stupaca)
{
    __shared__ double dio[NITI];
    int r = blockIdx.x * NITI + threadIdx.x;
    double zbroj = 0.0;

    for (int p = 0; p < stupaca; p += NITI) {
        int s = p + threadIdx.x;
        dio[threadIdx.x] = s < stupaca ? x[s] : 0.0;
        __syncthreads();
        int duljina = stupaca - p < NITI ? stupaca - p : NITI;
        if (r < redaka)
            for (int i = 0; i < duljina; i++)
                zbroj += A[(size_t)r * stupaca + p + i] * dio[i];
        __syncthreads();
    }
    if (r < redaka)
        y[r] = zbroj;
}

int pomnozi(const double *A, const double *x, double *y, int redaka, int stupaca)
{
    double *gA = NULL, *gx = NULL, *gy = NULL;
    size_t velicinaA = (size_t)redaka * stupaca * sizeof(double);
    int greska = 1;

    if (cudaMalloc((void **)&gA, velicinaA) != cudaSuccess) goto kraj;
    if (cudaMalloc((void **)&gx, stupaca * sizeof(double)) != cudaSuccess) goto kraj;
    if (cudaMalloc((void **)&gy, redaka * sizeof(double)) != cudaSuccess) goto kraj;

    cudaMemcpy(gA, A, velicinaA, cudaMemcpyHostToDevice);
    cudaMemcpy(gx, x, stupaca * sizeof(double), cudaMemcpyHostToDevice);
    mnozi<<<(redaka + NITI - 1) / NITI, NITI>>>(gA, gx, gy, redaka, stupaca);
    if (cudaGetLastError() != cudaSuccess) goto kraj;
    if (cudaMemcpy(y, gy, redaka * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) goto kraj;
    greska = 0;

kraj:
    cudaFree(gA);
    cudaFree(gx);
    cudaFree(gy);
    return greska;
}

int main(void)
{
    int redaka = 1000, stupaca = 700;
    double *A = (double *)malloc((size_t)redaka * stupaca * sizeof(double));
    double *x = (double *)malloc(stupaca * sizeof(double));
    double *y = (double *)calloc(redaka, sizeof(double));
    for (int i = 0; i < redaka * stupaca; i++) A[i] = 1.0 + (i % 10);
    for (int i = 0; i < stupaca; i++) x[i] = 1.0 / (1 + i);

    if (pomnozi(A, x, y, redaka, stupaca)) {
        printf("CUDA greska\n");
        return 1;
    }
    for (int r = 0; r < redaka; r += 100)
        printf("y[%d] = %f\n", r, y[r]);
    free(A);
    free(x);
    free(y);
    return 0;
}
