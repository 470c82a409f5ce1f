// Práctica 3: producto de matrices con teselas en memoria compartida.
// C (filas x columnas) = A (filas x comun) * B (comun x columnas)
// Almacenamiento por filas, tamaños arbitrarios >= 1 (filas <= 1048560).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int TESELA = 16;

__global__ void producto(const float* A, const float* B, float* C,
                         int filas, int comun, int columnas)
{
    __shared__ float tA[TESELA][TESELA];
    __shared__ float tB[TESELA][TESELA];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int fila = blockIdx.y * TESELA + y;
    int columna = blockIdx.x * TESELA + x;

    float suma = 0.0f;
    for (int inicio = 0; inicio < comun; inicio += TESELA) {
        // cada hilo trae un elemento de cada matriz
        if (fila < filas && inicio + x < comun)
            tA[y][x] = A[(size_t)fila * comun + inicio + x];
        else
            tA[y][x] = 0.0f;

        if (inicio + y < comun && columna < columnas)
            tB[y][x] = B[(size_t)(inicio + y) * columnas + columna];
        else
            tB[y][x] = 0.0f;

        __syncthreads();

        for (int k = 0; k < TESELA; k++)
            suma += tA[y][k] * tB[k][x];
    }

    if (fila < filas && columna < columnas)
        C[(size_t)fila * columnas + columna] = suma;
}

int main(int argc, char** argv)
{
    int f = 500, c = 300, p = 400;
    if (argc == 4) {
        f = atoi(argv[1]);
        p = atoi(argv[2]);
        c = atoi(argv[3]);
    }
    std::vector<float> a((size_t)f * p), b((size_t)p * c), r((size_t)f * c);
    for (size_t i = 0; i < a.size(); i++) a[i] = (float)(rand() % 10);
    for (size_t i = 0; i < b.size(); i++) b[i] = (float)(rand() % 10);

    float *da, *db, *dr;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dr, r.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloque(TESELA, TESELA);
    dim3 malla((c + TESELA - 1) / TESELA, (f + TESELA - 1) / TESELA);
    producto<<<malla, bloque>>>(da, db, dr, f, p, c);
    cudaError_t error = cudaMemcpy(r.data(), dr, r.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("error de CUDA: %s\n", cudaGetErrorString(error));
        return 1;
    }

    for (int i = 0; i < f; i++)
        for (int j = 0; j < c; j++) {
            double s = 0;
            for (int k = 0; k < p; k++)
                s += (double)a[(size_t)i * p + k] * b[(size_t)k * c + j];
            if (fabs(s - r[(size_t)i * c + j]) > 1e-4 * (1 + fabs(s))) {
                printf("distinto en (%d, %d): %f y %f\n", i, j, s, r[(size_t)i * c + j]);
                return 1;
            }
        }
    printf("resultado correcto\n");

    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    return 0;
}
