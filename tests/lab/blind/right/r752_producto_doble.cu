/*
 * Practica 1: producto de matrices de doubles, version sencilla.
 * Cada hilo recorre varias celdas de C con saltos del tamano de la malla,
 * asi que vale cualquier configuracion de lanzamiento.
 */
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

struct Medidas {
    int filas;    // filas de A y de C
    int comun;    // columnas de A, filas de B
    int columnas; // columnas de B y de C
};

__device__ inline double celda(const double *a, const double *b, const Medidas &d, int f, int c)
{
    double acumulado = 0.0;
    for (int p = 0; p < d.comun; p++)
        acumulado += a[(size_t)f * d.comun + p] * b[(size_t)p * d.columnas + c];
    return acumulado;
}

__global__ void multiplicar(const double *a, const double *b, double *c, Medidas d)
{
    int pasoX = gridDim.x * blockDim.x;
    int pasoY = gridDim.y * blockDim.y;
    for (int f = blockIdx.y * blockDim.y + threadIdx.y; f < d.filas; f += pasoY)
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < d.columnas; col += pasoX)
            c[(size_t)f * d.columnas + col] = celda(a, b, d, f, col);
}

static bool fallo(cudaError_t e)
{
    if (e == cudaSuccess) return false;
    std::cerr << "Error de CUDA: " << cudaGetErrorString(e) << " FAILED" << std::endl;
    return true;
}

int main()
{
    Medidas d{130, 75, 94};
    std::vector<double> a((size_t)d.filas * d.comun), b((size_t)d.comun * d.columnas);
    std::vector<double> c((size_t)d.filas * d.columnas, -1.0);

    for (size_t i = 0; i < a.size(); i++) a[i] = std::sin(0.01 * i);
    for (size_t i = 0; i < b.size(); i++) b[i] = std::cos(0.02 * i);

    double *ga = nullptr, *gb = nullptr, *gc = nullptr;
    if (fallo(cudaMalloc(&ga, a.size() * sizeof(double)))) return 1;
    if (fallo(cudaMalloc(&gb, b.size() * sizeof(double)))) return 1;
    if (fallo(cudaMalloc(&gc, c.size() * sizeof(double)))) return 1;
    cudaMemcpy(ga, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(gb, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 hilos(32, 8);
    dim3 malla(2, 3); // pequena a proposito: los bucles cubren el resto
    multiplicar<<<malla, hilos>>>(ga, gb, gc, d);
    if (fallo(cudaGetLastError())) return 1;
    if (fallo(cudaMemcpy(c.data(), gc, c.size() * sizeof(double), cudaMemcpyDeviceToHost))) return 1;

    auto esperado = [&](int f, int col) {
        double s = 0;
        for (int p = 0; p < d.comun; p++)
            s += a[(size_t)f * d.comun + p] * b[(size_t)p * d.columnas + col];
        return s;
    };

    int malos = 0;
    for (int f = 0; f < d.filas; f++)
        for (int col = 0; col < d.columnas; col++)
            if (!(std::fabs(esperado(f, col) - c[(size_t)f * d.columnas + col]) < 1e-9))
                malos++;

    cudaFree(ga);
    cudaFree(gb);
    cudaFree(gc);
    std::cout << "celdas erroneas: " << malos << " -> " << (malos == 0 ? "OK" : "FAILED") << std::endl;
    return malos == 0 ? 0 : 1;
}
