// Practica 3 - producto reducido
//
//   C[i][j] = suma_p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
//
//   A tiene 2*filas x K, B tiene K x 2*columnas, C tiene filas x columnas.
//   Las sumas de parejas se hacen al cargar las teselas.

#include <iostream>
#include <cstdlib>
#include <cuda_runtime.h>

using namespace std;

const int ANCHO = 16;   // columnas de C por bloque
const int ALTO  = 8;    // filas de C por bloque
const int PROF  = 16;   // profundidad de la tesela

__global__ void productoReducido(const float *A, const float *B, float *C,
                                 int filas, int K, int columnas)
{
    __shared__ float ta[ALTO][PROF];
    __shared__ float tb[PROF][ANCHO];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * ALTO + ty;
    int j = blockIdx.x * ANCHO + tx;

    float acum = 0.0f;
    int pasos = (K + PROF - 1) / PROF;

    for (int t = 0; t < pasos; t++) {
        int base = t * PROF;

        // tesela de A: 8 x 16, justo un elemento por hilo
        float v = 0.0f;
        if (i < filas && base + tx < K)
            v = A[(2 * i) * K + base + tx] + A[(2 * i + 1) * K + base + tx];
        ta[ty][tx] = v;

        // tesela de B: 16 x 16, dos elementos por hilo
        for (int f = ty; f < PROF; f += ALTO) {
            float w = 0.0f;
            if (base + f < K && j < columnas) {
                const float *fila = B + (base + f) * (2 * columnas);
                w = fila[2 * j] + fila[2 * j + 1];
            }
            tb[f][tx] = w;
        }
        __syncthreads();

        for (int p = 0; p < PROF; p++)
            acum += ta[ty][p] * tb[p][tx];
        __syncthreads();
    }

    if (i < filas && j < columnas)
        C[i * columnas + j] = acum;
}

int main()
{
    // cualquier tamano >= 1 vale (mientras los indices quepan en un int)
    const int filas = 45, K = 83, columnas = 37;

    float *A, *B, *C;
    cudaMallocManaged(&A, 2 * filas * K * sizeof(float));
    cudaMallocManaged(&B, 2 * columnas * K * sizeof(float));
    cudaMallocManaged(&C, filas * columnas * sizeof(float));

    for (int x = 0; x < 2 * filas * K; x++)    A[x] = float(x % 9) - 4;
    for (int x = 0; x < 2 * columnas * K; x++) B[x] = float(x % 6) - 2;

    dim3 bloque(ANCHO, ALTO);
    dim3 malla((columnas + ANCHO - 1) / ANCHO, (filas + ALTO - 1) / ALTO);
    productoReducido<<<malla, bloque>>>(A, B, C, filas, K, columnas);

    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        cerr << "error: " << cudaGetErrorString(e) << endl;
        return 1;
    }

    int malos = 0;
    for (int i = 0; i < filas; i++)
        for (int j = 0; j < columnas; j++) {
            float r = 0;
            for (int p = 0; p < K; p++)
                r += (A[2 * i * K + p] + A[(2 * i + 1) * K + p]) *
                     (B[p * 2 * columnas + 2 * j] + B[p * 2 * columnas + 2 * j + 1]);
            if (abs(r - C[i * columnas + j]) > 0.01f) malos++;
        }
    cout << (malos ? "MAL " : "bien ") << malos << endl;

    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return malos ? 1 : 0;
}
