// 5. hazi feladat: matrixszorzas dinamikus osztott memoriaval
// C = A * B, n x n-es negyzetes matrixok, n tetszoleges.
// A csempe oldala futasi idoben valaszthato (8, 16 vagy 32).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

extern __shared__ float osztott[];

__global__ void szorzas(const float *A, const float *B, float *C, int n)
{
    const int oldal = blockDim.x;
    float *csempeA = osztott;
    float *csempeB = osztott + oldal * oldal;

    const int x = threadIdx.x, y = threadIdx.y;
    const int sor = blockIdx.y * oldal + y;
    const int oszlop = blockIdx.x * oldal + x;

    float osszeg = 0.0f;
    for (int kezdet = 0; kezdet < n; kezdet += oldal) {
        csempeA[y * oldal + x] =
            (sor < n && kezdet + x < n) ? A[sor * n + kezdet + x] : 0.0f;
        csempeB[y * oldal + x] =
            (kezdet + y < n && oszlop < n) ? B[(kezdet + y) * n + oszlop] : 0.0f;
        __syncthreads();

        for (int i = 0; i < oldal; i++)
            osszeg += csempeA[y * oldal + i] * csempeB[i * oldal + x];
        __syncthreads();
    }

    if (sor < n && oszlop < n)
        C[sor * n + oszlop] = osszeg;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int oldal = argc > 2 ? atoi(argv[2]) : 16;
    if (n < 1 || (oldal != 8 && oldal != 16 && oldal != 32)) {
        printf("hasznalat: %s n oldal\n", argv[0]);
        return 1;
    }

    size_t bajt = sizeof(float) * n * n;
    std::vector<float> A(n * n), B(n * n), C(n * n);
    for (int i = 0; i < n * n; i++) {
        A[i] = (float)(i % 10);
        B[i] = (float)(i % 7) - 3.0f;
    }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bajt);
    cudaMalloc(&dB, bajt);
    cudaMalloc(&dC, bajt);
    cudaMemcpy(dA, A.data(), bajt, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), bajt, cudaMemcpyHostToDevice);

    int racs = (n + oldal - 1) / oldal;
    size_t osztottMeret = oldal * oldal * sizeof(float);
    szorzas<<<dim3(racs, racs), dim3(oldal, oldal), osztottMeret>>>(dA, dB, dC, n);

    cudaError_t hiba = cudaDeviceSynchronize();
    if (hiba != cudaSuccess) {
        printf("CUDA hiba: %s\n", cudaGetErrorString(hiba));
        return 1;
    }
    cudaMemcpy(C.data(), dC, bajt, cudaMemcpyDeviceToHost);

    float legnagyobb = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int p = 0; p < n; p++) s += A[i * n + p] * B[p * n + j];
            legnagyobb = fmaxf(legnagyobb, fabsf(s - C[i * n + j]));
        }
    printf("legnagyobb elteres: %g\n", legnagyobb);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return legnagyobb > 0.01f;
}
