// Matriz por vector, con x en memoria constante.
// x puede tener más elementos de los que caben, así que se procesa por trozos:
// cada lanzamiento suma a y la parte de un trozo de columnas.
#include <algorithm>
#include <cuda_runtime.h>

const int TROZO = 8192;
__constant__ float xConst[TROZO];

// lda: distancia entre el comienzo de dos filas seguidas
__global__ void sumaTrozo(const float* A, int lda, float* y, int filas, int cuantos)
{
    const int paso = gridDim.x * blockDim.x;
    for (int f = blockIdx.x * blockDim.x + threadIdx.x; f < filas; f += paso)
    {
        const float* fila = A + (size_t)f * lda;
        float s = 0.0f;
        for (int c = 0; c < cuantos; ++c)
            s += fila[c] * xConst[c];
        y[f] += s;
    }
}

// dA, dy: memoria de la GPU; hx: memoria del anfitrión. filas, columnas: de 1 a 100000
void matrizPorVector(const float* dA, const float* hx, float* dy, int filas, int columnas)
{
    const int hilos = 256;
    const int bloques = std::min((filas + hilos - 1) / hilos, 640);

    cudaMemset(dy, 0, filas * sizeof(float));
    for (int ini = 0; ini < columnas; ini += TROZO)
    {
        const int cuantos = std::min(TROZO, columnas - ini);
        cudaMemcpyToSymbol(xConst, hx + ini, cuantos * sizeof(float));
        sumaTrozo<<<bloques, hilos>>>(dA, columnas, dy, filas, cuantos);
    }
}
