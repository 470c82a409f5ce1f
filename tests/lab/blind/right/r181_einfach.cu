#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

// Aufgabe 2: einfache Matrixmultiplikation C = A * B
// A: zeilen x innen, B: innen x spalten
__global__ void matMul(int zeilen, int innen, int spalten,
                       const float *A, const float *B, float *C)
{
    int z = blockIdx.y * blockDim.y + threadIdx.y;
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (z < zeilen && s < spalten) {
        float summe = 0.0f;
        for (int k = 0; k < innen; ++k)
            summe += A[z * innen + k] * B[k * spalten + s];
        C[z * spalten + s] = summe;
    }
}

int main()
{
    const int zeilen = 75, innen = 41, spalten = 98;
    float *A, *B, *C;
    cudaMallocManaged(&A, zeilen * innen * sizeof(float));
    cudaMallocManaged(&B, innen * spalten * sizeof(float));
    cudaMallocManaged(&C, zeilen * spalten * sizeof(float));
    for (int i = 0; i < zeilen * innen; ++i) A[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; i < innen * spalten; ++i) B[i] = (float)(i % 5) - 2.0f;

    dim3 block(32, 8);
    dim3 grid((spalten + block.x - 1) / block.x, (zeilen + block.y - 1) / block.y);
    matMul<<<grid, block>>>(zeilen, innen, spalten, A, B, C);
    cudaDeviceSynchronize();

    int fehler = 0;
    for (int z = 0; z < zeilen; ++z)
        for (int s = 0; s < spalten; ++s) {
            float soll = 0.0f;
            for (int k = 0; k < innen; ++k) soll += A[z * innen + k] * B[k * spalten + s];
            if (fabsf(soll - C[z * spalten + s]) > 1e-3f) ++fehler;
        }
    printf("%d Fehler\n", fehler);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return fehler != 0;
}
