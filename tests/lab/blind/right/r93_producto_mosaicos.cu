// Producto de matrices con mosaicos (tiles) y control de bordes
// C(f x c) = A(f x p) * B(p x c)
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>

const int LADO = 32;

__global__ void productoMosaico(int filas, int comun, int columnas,
                                const float *A, const float *B, float *C)
{
    __shared__ float sA[LADO][LADO];
    __shared__ float sB[LADO][LADO];

    const int x = threadIdx.x, y = threadIdx.y;
    const int fila = blockIdx.y * LADO + y;
    const int columna = blockIdx.x * LADO + x;

    float acumulado = 0.0f;

    // recorremos la dimension comun de LADO en LADO
    for (int inicio = 0; inicio < comun; inicio += LADO) {
        // fuera de la matriz se escribe un cero
        sA[y][x] = (fila < filas && inicio + x < comun) ? A[fila * comun + inicio + x] : 0.0f;
        sB[y][x] = (inicio + y < comun && columna < columnas) ? B[(inicio + y) * columnas + columna] : 0.0f;
        __syncthreads();

        for (int i = 0; i < LADO; i++)
            acumulado += sA[y][i] * sB[i][x];
        __syncthreads();
    }

    if (fila < filas && columna < columnas)
        C[fila * columnas + columna] = acumulado;
}

int main()
{
    const int casos[4][3] = { {64, 64, 64}, {33, 65, 31}, {1, 100, 7}, {130, 5, 90} };
    bool todoBien = true;

    for (int caso = 0; caso < 4; caso++) {
        int f = casos[caso][0], p = casos[caso][1], c = casos[caso][2];
        std::vector<float> A(f * p), B(p * c), C(f * c, -1.0f);
        for (auto &v : A) v = rand() / (float)RAND_MAX;
        for (auto &v : B) v = rand() / (float)RAND_MAX;

        float *dA, *dB, *dC;
        cudaMalloc(&dA, A.size() * sizeof(float));
        cudaMalloc(&dB, B.size() * sizeof(float));
        cudaMalloc(&dC, C.size() * sizeof(float));
        cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

        dim3 hilos(LADO, LADO);
        dim3 bloques((c + LADO - 1) / LADO, (f + LADO - 1) / LADO);
        productoMosaico<<<bloques, hilos>>>(f, p, c, dA, dB, dC);
        cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

        for (int i = 0; i < f; i++)
            for (int j = 0; j < c; j++) {
                double r = 0;
                for (int q = 0; q < p; q++) r += (double)A[i * p + q] * B[q * c + j];
                if (std::fabs(r - C[i * c + j]) > 1e-3) todoBien = false;
            }
        cudaFree(dA); cudaFree(dB); cudaFree(dC);
    }
    std::cout << (todoBien ? "Correcto" : "ERROR") << std::endl;
    return todoBien ? 0 : 1;
}
