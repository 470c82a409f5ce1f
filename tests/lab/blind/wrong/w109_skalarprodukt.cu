// Skalarprodukt zweier Vektoren, eine Teilsumme je Block, der Rest auf der CPU
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCKGROESSE 128

__global__ void skalarprodukt(const double *a, const double *b, double *teilsummen, int n)
{
    __shared__ double puffer[BLOCKGROESSE];
    int lokal = threadIdx.x;
    int i = blockIdx.x * BLOCKGROESSE + lokal;

    puffer[lokal] = (i < n) ? a[i] * b[i] : 0.0;
    __syncthreads();

    for (int s = BLOCKGROESSE / 2; s > 1; s /= 2) {
        if (lokal < s)
            puffer[lokal] += puffer[lokal + s];
        __syncthreads();
    }

    if (lokal == 0)
        teilsummen[blockIdx.x] = puffer[0];
}

int main(void)
{
    const int n = 5000;
    const int bloecke = (n + BLOCKGROESSE - 1) / BLOCKGROESSE;
    double *a = (double*)malloc(n * sizeof(double));
    double *b = (double*)malloc(n * sizeof(double));
    double *t = (double*)malloc(bloecke * sizeof(double));
    double soll = 0.0;
    for (int i = 0; i < n; i++) {
        a[i] = 0.5 * (i % 12);
        b[i] = 1.0 + i % 3;
        soll += a[i] * b[i];
    }

    double *d_a, *d_b, *d_t;
    cudaMalloc((void**)&d_a, n * sizeof(double));
    cudaMalloc((void**)&d_b, n * sizeof(double));
    cudaMalloc((void**)&d_t, bloecke * sizeof(double));
    cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, n * sizeof(double), cudaMemcpyHostToDevice);

    skalarprodukt<<<bloecke, BLOCKGROESSE>>>(d_a, d_b, d_t, n);
    cudaMemcpy(t, d_t, bloecke * sizeof(double), cudaMemcpyDeviceToHost);

    double ist = 0.0;
    for (int i = 0; i < bloecke; i++) ist += t[i];
    printf("ist %f, soll %f\n", ist, soll);

    cudaFree(d_a); cudaFree(d_b); cudaFree(d_t);
    free(a); free(b); free(t);
    return fabs(ist - soll) > 1e-6;
}
