// Reduzierte Matrixmultiplikation (Blatt 8)
// R = A*B, danach je 2x2-Quadrat aufsummiert. Ohne Zwischenmatrix:
//   R[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// zeilen und spalten: alle geraden Zahlen von 2 bis 100000, tiefe beliebig
#include <cuda_runtime.h>
#include <stdio.h>

static const unsigned BREITE = 32;
static const unsigned HOEHE  = 4;

__global__ void reduziertKern(const double *A, const double *B, double *R,
                              int zeilen, int spalten, int tiefe)
{
    const int rz = zeilen / 2;
    const int rs = spalten / 2;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rz || j >= rs)
        return;

    const double *a0 = A + (size_t)(2 * i) * tiefe;
    const double *a1 = a0 + tiefe;
    double s = 0.0;
    for (int k = 0; k < tiefe; ++k) {
        const double *b = B + (size_t)k * spalten + 2 * j;
        s += (a0[k] + a1[k]) * (__ldg(b) + __ldg(b + 1));
    }
    R[(size_t)i * rs + j] = s;
}

extern "C" int reduziert(const double *hA, const double *hB, double *hR,
                         int zeilen, int spalten, int tiefe)
{
    if (zeilen < 2 || spalten < 2 || tiefe < 1 || zeilen % 2 || spalten % 2)
        return 1;
    const size_t bA = sizeof(double) * zeilen * (size_t)tiefe;
    const size_t bB = sizeof(double) * tiefe * (size_t)spalten;
    const size_t bR = sizeof(double) * (zeilen / 2) * (size_t)(spalten / 2);

    double *dA = 0, *dB = 0, *dR = 0;
    cudaMalloc(&dA, bA);
    cudaMalloc(&dB, bB);
    cudaMalloc(&dR, bR);
    cudaMemcpy(dA, hA, bA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bB, cudaMemcpyHostToDevice);

    const dim3 block(BREITE, HOEHE);
    const dim3 gitter((spalten / 2 + BREITE - 1) / BREITE, (zeilen / 2) / HOEHE);
    reduziertKern<<<gitter, block>>>(dA, dB, dR, zeilen, spalten, tiefe);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaMemcpy(hR, dR, bR, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        fprintf(stderr, "reduziert: %s\n", cudaGetErrorString(e));

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return e == cudaSuccess ? 0 : 2;
}
