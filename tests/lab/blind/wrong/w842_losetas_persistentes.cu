// Práctica 4: producto de matrices con pocos bloques.
// A es f x p, B es p x c, todo guardado por filas.
// Cada bloque recorre varias losetas de C.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TB 16

__global__ void multiplicaLosetas(const float *A, const float *B, float *C,
                                  int f, int p, int c)
{
    __shared__ float sa[TB][TB];
    __shared__ float sb[TB][TB];

    int tx = threadIdx.x, ty = threadIdx.y;
    int losF = (f + TB - 1) / TB;
    int losC = (c + TB - 1) / TB;
    float suma = 0.0f;

    for (int l = blockIdx.x; l < losF * losC; l += gridDim.x) {
        int i = (l / losC) * TB + ty;
        int j = (l % losC) * TB + tx;

        for (int k0 = 0; k0 < p; k0 += TB) {
            // fuera de la matriz ponemos ceros
            sa[ty][tx] = (i < f && k0 + tx < p) ? A[i * p + k0 + tx] : 0.0f;
            sb[ty][tx] = (k0 + ty < p && j < c) ? B[(k0 + ty) * c + j] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TB; k++)
                suma += sa[ty][k] * sb[k][tx];
            __syncthreads();
        }
        if (i < f && j < c)
            C[i * c + j] = suma;
    }
}

int main()
{
    const int f = 200, p = 75, c = 130;
    std::vector<float> hA(f * p), hB(p * c), hC(f * c);
    for (float &v : hA) v = rand() / (float)RAND_MAX - 0.5f;
    for (float &v : hB) v = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, hA.size() * sizeof(float));
    cudaMalloc(&dB, hB.size() * sizeof(float));
    cudaMalloc(&dC, hC.size() * sizeof(float));
    cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice);

    multiplicaLosetas<<<40, dim3(TB, TB)>>>(dA, dB, dC, f, p, c);
    cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float peor = 0.0f;
    for (int i = 0; i < f; i++)
        for (int j = 0; j < c; j++) {
            float r = 0.0f;
            for (int k = 0; k < p; k++) r += hA[i * p + k] * hB[k * c + j];
            peor = fmaxf(peor, fabsf(r - hC[i * c + j]));
        }
    printf("error máximo: %g -> %s\n", peor, peor < 1e-3f ? "bien" : "mal");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
