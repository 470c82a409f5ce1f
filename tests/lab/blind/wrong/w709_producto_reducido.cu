// Producto reducido de matrices
//   C[i][j] = suma en l de (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A es de F x L, B es de L x G (F y G pares), C es de F/2 x G/2.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

struct Dims { int F, G, L; };

__global__ void reducido(const float* A, const float* B, float* C, Dims d)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int filas = d.F / 2;
    const int cols  = d.G / 2;
    if (i >= filas || j >= cols) return;

    const float* arriba = &A[(2 * i) * d.L];
    const float* abajo  = &A[(2 * i + 1) * d.L];

    float suma = 0.0f;
    for (int l = 0; l < d.L; ++l) {
        const float* b = &B[l * d.G + 2 * j];
        suma += (arriba[l] + abajo[l]) * b[0] + b[1];
    }
    C[i * cols + j] = suma;
}

template <typename T>
T* subir(const std::vector<T>& v)
{
    T* p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    Dims d{100, 60, 33};
    std::vector<float> A(d.F * d.L), B(d.L * d.G), C((d.F / 2) * (d.G / 2));
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.5f * (i % 6);
    for (size_t i = 0; i < B.size(); ++i) B[i] = 1.0f - 0.25f * (i % 8);

    float* dA = subir(A);
    float* dB = subir(B);
    float* dC;
    cudaMalloc(&dC, C.size() * sizeof(float));

    dim3 hilos(16, 16);
    dim3 bloques((d.G / 2 + 15) / 16, (d.F / 2 + 15) / 16);
    reducido<<<bloques, hilos>>>(dA, dB, dC, d);

    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << "C[0][0] = " << C[0] << ", ultimo = " << C.back() << std::endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
