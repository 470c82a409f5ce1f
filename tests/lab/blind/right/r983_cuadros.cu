#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>
using std::vector;

// Producto reducido: cada hilo calcula los cuatro elementos de su cuadro 2x2
// del producto completo y guarda la suma. Sin memoria compartida.
__global__ void reducido(const float *A, const float *B, float *C, int m, int k, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;

    const float *fila0 = A + 2 * i * k;
    const float *fila1 = fila0 + k;
    const float *columna = B + 2 * j;

    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int p = 0; p < k; p++) {
        float a0 = fila0[p], a1 = fila1[p];
        float b0 = columna[0], b1 = columna[1];
        c00 += a0 * b0;
        c01 += a0 * b1;
        c10 += a1 * b0;
        c11 += a1 * b1;
        columna += 2 * n;
    }
    C[i * n + j] = (c00 + c01) + (c10 + c11);
}

int main()
{
    const int m = 11, k = 17, n = 35;
    vector<float> A(2 * m * k), B(k * 2 * n), C(m * n);
    for (size_t i = 0; i < A.size(); i++) A[i] = float(int(i * 7 % 11) - 5);
    for (size_t i = 0; i < B.size(); i++) B[i] = float(int(i * 5 % 13) - 6);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(32, 4);
    dim3 bloques((n + hilos.x - 1) / hilos.x, (m + hilos.y - 1) / hilos.y);
    reducido<<<bloques, hilos>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    double peor = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++)
                    for (int p = 0; p < k; p++)
                        s += A[(2 * i + u) * k + p] * B[p * 2 * n + 2 * j + v];
            peor = fmax(peor, fabs(s - C[i * n + j]));
        }
    printf("error maximo: %g\n", peor);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return peor > 1e-3;
}
