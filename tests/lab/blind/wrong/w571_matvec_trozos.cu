// Matriz por vector: y = A x, A (m x n) por filas
// Un hilo por fila. El vector x se lee por trozos de 128 a memoria compartida
// para que todo el bloque lo reutilice.  m y n cualesquiera.
#include <cuda_runtime.h>

const int HILOS = 128;

__global__ void matvecTrozos(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float trozo[HILOS];

    int fila = blockIdx.x * HILOS + threadIdx.x;
    // los hilos sin fila no tienen trabajo
    if (fila >= m)
        return;

    float suma = 0.0f;
    for (int ini = 0; ini < n; ini += HILOS) {
        if (ini + threadIdx.x < n)
            trozo[threadIdx.x] = x[ini + threadIdx.x];
        __syncthreads();

        int largo = n - ini < HILOS ? n - ini : HILOS;
        for (int j = 0; j < largo; j++)
            suma += A[(size_t)fila * n + ini + j] * trozo[j];
        __syncthreads();
    }
    y[fila] = suma;
}

void matrizPorVector(const float *A_host, const float *x_host, float *y_host, int m, int n)
{
    float *A_dev, *x_dev, *y_dev;
    size_t bytesA = (size_t)m * n * sizeof(float);

    cudaMalloc(&A_dev, bytesA);
    cudaMalloc(&x_dev, n * sizeof(float));
    cudaMalloc(&y_dev, m * sizeof(float));

    cudaMemcpy(A_dev, A_host, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(x_dev, x_host, n * sizeof(float), cudaMemcpyHostToDevice);

    int bloques = (m + HILOS - 1) / HILOS;
    matvecTrozos<<<bloques, HILOS>>>(A_dev, x_dev, y_dev, m, n);

    cudaMemcpy(y_host, y_dev, m * sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(A_dev);
    cudaFree(x_dev);
    cudaFree(y_dev);
}
