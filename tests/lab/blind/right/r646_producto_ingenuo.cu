// Práctica 1: producto de matrices, un hilo por elemento de C.
// Uso: ./producto [filas] [columnas] [interior]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void producto(const float *A, const float *B, float *C,
                         int filas, int columnas, int interior)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int fil = blockIdx.y * blockDim.y + threadIdx.y;
    if (fil >= filas || col >= columnas) return;

    float suma = 0.0f;
    for (int p = 0; p < interior; ++p)
        suma += A[fil * interior + p] * B[p * columnas + col];
    C[fil * columnas + col] = suma;
}

int main(int argc, char **argv)
{
    int filas    = argc > 1 ? atoi(argv[1]) : 123;
    int columnas = argc > 2 ? atoi(argv[2]) : 77;
    int interior = argc > 3 ? atoi(argv[3]) : 200;
    if (filas < 1 || columnas < 1 || interior < 1 ||
        filas > 2000 || columnas > 2000 || interior > 2000) {
        printf("tamaños entre 1 y 2000\n");
        return 1;
    }

    std::vector<float> a(filas * interior), b(interior * columnas), c(filas * columnas);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (float)(i % 7) - 3.0f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloque(32, 8);
    dim3 malla((columnas + bloque.x - 1) / bloque.x, (filas + bloque.y - 1) / bloque.y);
    producto<<<malla, bloque>>>(dA, dB, dC, filas, columnas, interior);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int malos = 0;
    for (int i = 0; i < filas; ++i)
        for (int j = 0; j < columnas; ++j) {
            float s = 0.0f;
            for (int p = 0; p < interior; ++p) s += a[i * interior + p] * b[p * columnas + j];
            if (fabsf(s - c[i * columnas + j]) > 1e-3f) ++malos;
        }
    printf("%s (%d errores)\n", malos ? "MAL" : "BIEN", malos);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return malos != 0;
}
