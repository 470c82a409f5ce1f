// Práctica 3 - Producto de matrices rectangulares con teselas en memoria compartida.
// Las tres matrices viven en memoria con "pitch" (cudaMallocPitch), en doble precisión.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define LADO 16

#define COMPROBAR(x)                                                        \
    do {                                                                    \
        cudaError_t err_ = (x);                                             \
        if (err_ != cudaSuccess) {                                          \
            fprintf(stderr, "error CUDA: %s\n", cudaGetErrorString(err_));  \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

// devuelve un puntero al comienzo de la fila i (el paso se mide en bytes)
__device__ inline const double *fila(const double *base, size_t paso, int i)
{
    return (const double *)((const char *)base + (size_t)i * paso);
}

__global__ void producto(const double *A, size_t pasoA,
                         const double *B, size_t pasoB,
                         double *C, size_t pasoC,
                         int filas, int columnas, int comun)
{
    __shared__ double teselaA[LADO][LADO];
    __shared__ double teselaB[LADO][LADO];

    const int x = threadIdx.x, y = threadIdx.y;
    const int f = blockIdx.y * LADO + y;
    const int c = blockIdx.x * LADO + x;

    double suma = 0.0;
    const int pasos = (comun + LADO - 1) / LADO;

    for (int p = 0; p < pasos; ++p) {
        const int ka = p * LADO + x;   // columna de A que lee este hilo
        const int kb = p * LADO + y;   // fila de B que lee este hilo

        teselaA[y][x] = (f < filas && ka < comun) ? fila(A, pasoA, f)[ka] : 0.0;
        teselaB[y][x] = (kb < comun && c < columnas) ? fila(B, pasoB, kb)[c] : 0.0;
        __syncthreads();

        for (int k = 0; k < LADO; ++k)
            suma += teselaA[y][k] * teselaB[k][x];
        __syncthreads();
    }

    if (f < filas && c < columnas) {
        double *destino = (double *)((char *)C + (size_t)f * pasoC);
        destino[c] = suma;
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 75;
    int n = argc > 2 ? atoi(argv[2]) : 110;
    int k = argc > 3 ? atoi(argv[3]) : 53;

    std::vector<double> a((size_t)m * k), b((size_t)k * n), c((size_t)m * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (double)(i % 17) - 8.0;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (double)(i % 13) * 0.25;

    double *dA, *dB, *dC;
    size_t pA, pB, pC;
    COMPROBAR(cudaMallocPitch(&dA, &pA, k * sizeof(double), m));
    COMPROBAR(cudaMallocPitch(&dB, &pB, n * sizeof(double), k));
    COMPROBAR(cudaMallocPitch(&dC, &pC, n * sizeof(double), m));

    COMPROBAR(cudaMemcpy2D(dA, pA, a.data(), k * sizeof(double),
                           k * sizeof(double), m, cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy2D(dB, pB, b.data(), n * sizeof(double),
                           n * sizeof(double), k, cudaMemcpyHostToDevice));

    dim3 hilos(LADO, LADO);
    dim3 bloques((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    producto<<<bloques, hilos>>>(dA, pA, dB, pB, dC, pC, m, n, k);
    COMPROBAR(cudaGetLastError());

    COMPROBAR(cudaMemcpy2D(c.data(), n * sizeof(double), dC, pC,
                           n * sizeof(double), m, cudaMemcpyDeviceToHost));

    double peor = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0.0;
            for (int q = 0; q < k; ++q)
                ref += a[(size_t)i * k + q] * b[(size_t)q * n + j];
            peor = fmax(peor, fabs(ref - c[(size_t)i * n + j]));
        }
    printf("diferencia máxima: %g -> %s\n", peor, peor < 1e-9 ? "correcto" : "MAL");

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return peor < 1e-9 ? 0 : 1;
}
