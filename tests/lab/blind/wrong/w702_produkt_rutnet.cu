// Labb 2: matrismultiplikation med grid-stride i två led
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define RADER 100
#define MITT  90
#define KOLS  130

__global__ void mult(const double *a, const double *b, double *c)
{
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < RADER; r += blockDim.y * gridDim.y)
        for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < KOLS; k += blockDim.x * gridDim.x) {
            double summa = 0.0;
            for (int i = 0; i < MITT; i++)
                summa += a[r * MITT + i] * b[i * KOLS + k];
            c[r * KOLS + k] = summa;
        }
}

static void fyll(double *p, int antal, int modul)
{
    for (int i = 0; i < antal; i++)
        p[i] = i % modul + 1;
}

int main(void)
{
    size_t storlekA = RADER * MITT * sizeof(double);
    size_t storlekB = MITT * KOLS * sizeof(double);
    size_t storlekC = RADER * KOLS * sizeof(double);

    double *a = (double *)malloc(storlekA);
    double *b = (double *)malloc(storlekB);
    double *c = (double *)malloc(storlekC);
    fyll(a, RADER * MITT, 6);
    fyll(b, MITT * KOLS, 11);

    double *d_a, *d_b, *d_c;
    cudaMalloc((void **)&d_a, storlekA);
    cudaMalloc((void **)&d_b, storlekB);
    cudaMalloc((void **)&d_c, storlekC);
    cudaMemcpy(d_a, a, storlekA, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, storlekA, cudaMemcpyHostToDevice);

    dim3 tradar(16, 16);
    dim3 block(3, 4);       /* färre block än element, slingan tar resten */
    mult<<<block, tradar>>>(d_a, d_b, d_c);
    cudaMemcpy(c, d_c, storlekC, cudaMemcpyDeviceToHost);

    int fel = 0;
    for (int r = 0; r < RADER; r++)
        for (int k = 0; k < KOLS; k++) {
            double s = 0.0;
            for (int i = 0; i < MITT; i++)
                s += a[r * MITT + i] * b[i * KOLS + k];
            if (s != c[r * KOLS + k]) fel++;
        }
    printf("%d fel\n", fel);

    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
    free(a); free(b); free(c);
    return 0;
}
