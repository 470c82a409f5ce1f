// Practica 4: producto de matrices con memoria compartida dinamica.
// El tamano de la tesela lo decide el usuario al lanzar (bloque cuadrado).
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

#define COMPROBAR(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::cerr << "Error CUDA: " << cudaGetErrorString(e_) << std::endl; std::exit(1); } } while (0)

__global__ void producto(const float *a, const float *b, float *c,
                         int filasA, int colsA, int colsB)
{
    extern __shared__ float memoria[];
    const int lado = blockDim.x;            // blockDim.x == blockDim.y
    float *ta = memoria;                    // primera mitad: tesela de A
    float *tb = memoria + lado * lado;      // segunda mitad: tesela de B

    int fila = blockIdx.y * lado + threadIdx.y;
    int col  = blockIdx.x * lado + threadIdx.x;
    int pos  = threadIdx.y * lado + threadIdx.x;

    float acumulado = 0;
    int nTeselas = (colsA - 1) / lado + 1;

    for (int t = 0; t < nTeselas; t++)
    {
        int ca = t * lado + threadIdx.x;
        int fb = t * lado + threadIdx.y;

        ta[pos] = (fila < filasA && ca < colsA) ? a[fila * colsA + ca] : 0;
        tb[pos] = (fb < colsA && col < colsB)   ? b[fb * colsB + col]  : 0;

        __syncthreads();

        for (int k = 0; k < lado; k++)
            acumulado += ta[threadIdx.y * lado + k] * tb[k * lado + threadIdx.x];

        __syncthreads();
    }

    if (fila < filasA && col < colsB)
        c[fila * colsB + col] = acumulado;
}

int main(int argc, char *argv[])
{
    int lado = argc > 1 ? std::atoi(argv[1]) : 12;
    if (lado < 1 || lado > 32) { std::cerr << "lado entre 1 y 32" << std::endl; return 1; }
    const int fa = 53, ca = 61, cb = 40;

    std::vector<float> a(fa * ca), b(ca * cb), c(fa * cb);
    for (size_t i = 0; i < a.size(); i++) a[i] = float(i % 5);
    for (size_t i = 0; i < b.size(); i++) b[i] = float(i % 3) - 1;

    float *da, *db, *dc;
    COMPROBAR(cudaMalloc(&da, a.size() * sizeof(float)));
    COMPROBAR(cudaMalloc(&db, b.size() * sizeof(float)));
    COMPROBAR(cudaMalloc(&dc, c.size() * sizeof(float)));
    COMPROBAR(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 bloque(lado, lado), malla((cb + lado - 1) / lado, (fa + lado - 1) / lado);
    size_t bytes = 2 * lado * lado * sizeof(float);
    producto<<<malla, bloque, bytes>>>(da, db, dc, fa, ca, cb);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool bien = true;
    for (int i = 0; i < fa; i++)
        for (int j = 0; j < cb; j++) {
            float s = 0;
            for (int k = 0; k < ca; k++) s += a[i * ca + k] * b[k * cb + j];
            if (s != c[i * cb + j]) bien = false;   // enteros pequenos: exacto
        }
    std::cout << (bien ? "CORRECTO" : "INCORRECTO") << std::endl;
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return bien ? 0 : 1;
}
