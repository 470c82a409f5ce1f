// Producto de matrices "split-K": la dimension k se reparte entre blockIdx.z
// y los resultados parciales se acumulan con atomicAdd en C.
// Util cuando m y n son pequenos y k es grande.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TILE 16
#define PARTES 8

__global__ void splitK(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int i = blockIdx.y * TILE + threadIdx.y;
    int j = blockIdx.x * TILE + threadIdx.x;

    // mi trozo de k
    int largo = (k + PARTES - 1) / PARTES;
    int desde = blockIdx.z * largo;
    int hasta = min(k, desde + largo);

    float suma = 0;
    for (int p = desde; p < hasta; p += TILE) {
        As[threadIdx.y][threadIdx.x] = (i < m && p + threadIdx.x < hasta) ? A[i * k + p + threadIdx.x] : 0;
        Bs[threadIdx.y][threadIdx.x] = (p + threadIdx.y < hasta && j < n) ? B[(p + threadIdx.y) * n + j] : 0;
        __syncthreads();
        for (int q = 0; q < TILE; q++)
            suma += As[threadIdx.y][q] * Bs[q][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        atomicAdd(&C[i * n + j], suma);
}

void multiplicar(const float *dA, const float *dB, float *dC, int m, int n, int k)
{
    dim3 hilos(TILE, TILE);
    dim3 bloques((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, PARTES);
    splitK<<<bloques, hilos>>>(dA, dB, dC, m, n, k);
}

int main(int argc, char **argv)
{
    int m = 40, n = 24, k = 5000;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }

    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (float &x : A) x = (rand() % 100) / 100.0f;
    for (float &x : B) x = (rand() % 100) / 100.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    multiplicar(dA, dB, dC, m, n, k);      // calentamiento

    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    cudaEventRecord(e0);
    multiplicar(dA, dB, dC, m, n, k);
    cudaEventRecord(e1);
    cudaEventSynchronize(e1);
    float ms;
    cudaEventElapsedTime(&ms, e0, e1);

    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double peor = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double r = 0;
            for (int q = 0; q < k; q++) r += (double)A[i * k + q] * B[q * n + j];
            peor = std::fmax(peor, std::fabs(r - C[i * n + j]) / (1 + std::fabs(r)));
        }
    printf("%.3f ms, error relativo maximo %g\n", ms, peor);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return peor < 1e-4 ? 0 : 1;
}
