// Tema 5: y = A*x, A memorata pe coloane (ca in Fortran)
// Vectorul x este adus pe bucati in memoria partajata.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BUC 128
#define IDX(i, j, ld) ((j) * (ld) + (i))

__global__ void matVecColoane(int linii, int coloane, const float *A, const float *x, float *y)
{
    __shared__ float xs[BUC];
    int i = blockIdx.x * BUC + threadIdx.x;
    float suma = 0.0f;

    for (int j0 = 0; j0 < coloane; j0 += BUC) {
        int cate = min(BUC, coloane - j0);
        // si firele fara linie ajuta la incarcare
        if (threadIdx.x < cate)
            xs[threadIdx.x] = x[j0 + threadIdx.x];
        __syncthreads();

        if (i < linii)
            for (int j = 0; j < cate; j++)
                suma += A[IDX(i, j0 + j, linii)] * xs[j];
        __syncthreads();
    }

    if (i < linii)
        y[i] = suma;
}

int main(int argc, char **argv)
{
    int linii = argc > 1 ? atoi(argv[1]) : 500;
    int coloane = argc > 2 ? atoi(argv[2]) : 301;

    size_t nA = (size_t)linii * coloane;
    float *A = new float[nA], *x = new float[coloane], *y = new float[linii];
    for (size_t q = 0; q < nA; q++) A[q] = (float)((q * 31) % 19) - 9.0f;
    for (int j = 0; j < coloane; j++) x[j] = (float)(j % 4);

    float *dA, *dx, *dy;
    cudaMalloc(&dA, nA * sizeof(float));
    cudaMalloc(&dx, coloane * sizeof(float));
    cudaMalloc(&dy, linii * sizeof(float));
    cudaMemcpy(dA, A, nA * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, coloane * sizeof(float), cudaMemcpyHostToDevice);

    matVecColoane<<<(linii + BUC - 1) / BUC, BUC>>>(linii, coloane, dA, dx, dy);
    cudaError_t er = cudaMemcpy(y, dy, linii * sizeof(float), cudaMemcpyDeviceToHost);
    if (er != cudaSuccess) { printf("eroare: %s\n", cudaGetErrorString(er)); return 2; }

    int gresite = 0;
    for (int i = 0; i < linii; i++) {
        float s = 0.0f;
        for (int j = 0; j < coloane; j++) s += A[IDX(i, j, linii)] * x[j];
        if (fabsf(s - y[i]) > 1e-3f) gresite++;
    }
    printf("gresite: %d\n", gresite);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    delete[] A; delete[] x; delete[] y;
    return gresite != 0;
}
