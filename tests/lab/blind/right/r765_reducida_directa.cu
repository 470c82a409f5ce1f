// Producto de matrices reducido (RMM), version directa con 4k multiplicaciones.
// R[i][j] = suma de los cuatro elementos de A*B en las filas 2i, 2i+1 y columnas 2j, 2j+1.
// m y n tienen que ser pares; k es libre.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

__global__ void rmm_directa(const double *A, const double *B, double *R, int m, int k, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int mr = m / 2, nr = n / 2;

    if (i >= mr || j >= nr) return;

    double suma = 0.0;
    for (int df = 0; df < 2; df++) {
        for (int dc = 0; dc < 2; dc++) {
            int fila = 2 * i + df;
            int col = 2 * j + dc;
            for (int p = 0; p < k; p++)
                suma += A[fila * k + p] * B[p * n + col];
        }
    }
    R[i * nr + j] = suma;
}

/* referencia: primero el producto completo, despues la reduccion */
void referencia(const double *A, const double *B, double *R, int m, int k, int n)
{
    double *P = (double *)malloc(sizeof(double) * m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int p = 0; p < k; p++) s += A[i * k + p] * B[p * n + j];
            P[i * n + j] = s;
        }
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++)
            R[i * (n / 2) + j] = P[2 * i * n + 2 * j] + P[2 * i * n + 2 * j + 1]
                               + P[(2 * i + 1) * n + 2 * j] + P[(2 * i + 1) * n + 2 * j + 1];
    free(P);
}

int main(void)
{
    int m = 86, k = 33, n = 54;
    if (m % 2 != 0 || n % 2 != 0) { printf("m y n deben ser pares FAILED\n"); return 1; }

    int nr = n / 2, mr = m / 2;
    double *A = (double *)malloc(sizeof(double) * m * k);
    double *B = (double *)malloc(sizeof(double) * k * n);
    double *R = (double *)malloc(sizeof(double) * mr * nr);
    double *R_cpu = (double *)malloc(sizeof(double) * mr * nr);
    for (int i = 0; i < m * k; i++) A[i] = (i % 21) * 0.1 - 1.0;
    for (int i = 0; i < k * n; i++) B[i] = (i % 16) * 0.25 - 2.0;

    double *dA, *dB, *dR;
    cudaMalloc((void **)&dA, sizeof(double) * m * k);
    cudaMalloc((void **)&dB, sizeof(double) * k * n);
    cudaMalloc((void **)&dR, sizeof(double) * mr * nr);
    cudaMemcpy(dA, A, sizeof(double) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(double) * k * n, cudaMemcpyHostToDevice);

    dim3 bloque(16, 16);
    dim3 malla((nr + bloque.x - 1) / bloque.x, (mr + bloque.y - 1) / bloque.y);
    rmm_directa<<<malla, bloque>>>(dA, dB, dR, m, k, n);
    cudaError_t err = cudaMemcpy(R, dR, sizeof(double) * mr * nr, cudaMemcpyDeviceToHost);

    referencia(A, B, R_cpu, m, k, n);
    int bien = (err == cudaSuccess);
    for (int i = 0; i < mr * nr && bien; i++)
        if (!(fabs(R[i] - R_cpu[i]) < 1e-8)) bien = 0;

    cudaFree(dA); cudaFree(dB); cudaFree(dR);
    free(A); free(B); free(R); free(R_cpu);
    printf("RMM %dx%d: %s\n", mr, nr, bien ? "OK" : "FAILED");
    return bien ? 0 : 1;
}
