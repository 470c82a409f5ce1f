/* Práctica 3: producto de matrices por teselas (tiles).
 * A es m x p, B es p x n, C es m x n. Cualquier tamaño vale. */
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define TESELA 16

__global__ void productoTeselas(float *C, const float *A, const float *B,
                                int m, int n, int p)
{
    __shared__ float tA[TESELA][TESELA];
    __shared__ float tB[TESELA][TESELA];

    const int fila = blockIdx.y * TESELA + threadIdx.y;
    const int columna = blockIdx.x * TESELA + threadIdx.x;
    float suma = 0.f;

    for (int t = 0; t < (p + TESELA - 1) / TESELA; ++t) {
        int ca = t * TESELA + threadIdx.x;   // columna en A
        int fb = t * TESELA + threadIdx.y;   // fila en B

        // fuera de la matriz se rellena con cero
        tA[threadIdx.y][threadIdx.x] = (fila < m && ca < p) ? A[fila * p + ca] : 0.f;
        tB[threadIdx.y][threadIdx.x] = (fb < p && columna < n) ? B[fb * n + columna] : 0.f;
        __syncthreads();

        for (int k = 0; k < TESELA; ++k)
            suma += tA[threadIdx.y][k] * tB[k][threadIdx.x];
        __syncthreads();   // nadie pisa la tesela mientras otro la lee
    }

    if (fila < m && columna < n)
        C[fila * n + columna] = suma;
}

int main()
{
    const int m = 70, n = 45, p = 101;
    std::vector<float> a(m * p), b(p * n), c(m * n, -1.f);
    for (int i = 0; i < m * p; ++i) a[i] = (i * 7 % 13) * 0.25f;
    for (int i = 0; i < p * n; ++i) b[i] = (i * 5 % 11) * 0.5f - 2.f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, a.size() * sizeof(float));
    cudaMalloc((void **)&dB, b.size() * sizeof(float));
    cudaMalloc((void **)&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(TESELA, TESELA);
    dim3 bloques((n + TESELA - 1) / TESELA, (m + TESELA - 1) / TESELA);
    productoTeselas<<<bloques, hilos>>>(dC, dA, dB, m, n, p);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float error = 0.f;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0.f;
            for (int k = 0; k < p; ++k) s += a[i * p + k] * b[k * n + j];
            error = std::fmax(error, std::fabs(s - c[i * n + j]));
        }
    std::cout << "error maximo: " << error << (error < 1e-2f ? "  OK" : "  MAL") << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return error < 1e-2f ? 0 : 1;
}
