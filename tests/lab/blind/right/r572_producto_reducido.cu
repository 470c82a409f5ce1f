// Practica 4: producto reducido
//   C(i,j) = sum_q (A(2i,q) + A(2i+1,q)) * (B(q,2j) + B(q,2j+1))
// C tiene m/2 x n/2 elementos. m y n tienen que ser pares, k cualquiera.
#include <cuda_runtime.h>
#include <stdexcept>

struct Matriz {
    int filas;
    int columnas;
    float *datos;      // por filas, memoria de cudaMalloc
};

constexpr int LADO = 16;

__global__ void productoReducido(Matriz A, Matriz B, Matriz C)
{
    __shared__ float ta[LADO][LADO];
    __shared__ float tb[LADO][LADO];

    const int fila = blockIdx.y * LADO + threadIdx.y;
    const int col = blockIdx.x * LADO + threadIdx.x;
    const int k = A.columnas;

    float acum = 0.f;
    for (int base = 0; base < k; base += LADO) {
        // sumo la pareja de filas al cargar
        int qa = base + threadIdx.x;
        float va = 0.f;
        if (fila < C.filas && qa < k) {
            va = A.datos[(2 * fila) * k + qa] + A.datos[(2 * fila + 1) * k + qa];
        }
        ta[threadIdx.y][threadIdx.x] = va;

        // la pareja de columnas esta junta: un float2 (B.columnas es par)
        int qb = base + threadIdx.y;
        float vb = 0.f;
        if (qb < k && col < C.columnas) {
            const float2 *p = reinterpret_cast<const float2 *>(B.datos + qb * B.columnas);
            float2 par = p[col];
            vb = par.x + par.y;
        }
        tb[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

#pragma unroll
        for (int q = 0; q < LADO; q++)
            acum += ta[threadIdx.y][q] * tb[q][threadIdx.x];
        __syncthreads();
    }

    if (fila < C.filas && col < C.columnas)
        C.datos[fila * C.columnas + col] = acum;
}

// A, B y C ya estan en la GPU
void lanzarProductoReducido(const Matriz &A, const Matriz &B, Matriz &C)
{
    if (A.filas % 2 != 0 || B.columnas % 2 != 0)
        throw std::invalid_argument("m y n deben ser pares");
    if (A.columnas != B.filas || C.filas != A.filas / 2 || C.columnas != B.columnas / 2)
        throw std::invalid_argument("dimensiones");

    dim3 hilos(LADO, LADO);
    dim3 bloques((C.columnas + LADO - 1) / LADO, (C.filas + LADO - 1) / LADO);
    productoReducido<<<bloques, hilos>>>(A, B, C);
    cudaDeviceSynchronize();
}
