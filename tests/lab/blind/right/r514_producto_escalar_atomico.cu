// Práctica 2: producto escalar de dos vectores
// Compilar: nvcc practica2.cu -o practica2      Uso: ./practica2 [n]
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define HILOS 256          // potencia de 2 (por el árbol)
#define MAX_BLOQUES 64

__global__ void productoEscalar(const float *x, const float *y, float *resultado, int n)
{
    __shared__ float cache[HILOS];
    int tid = threadIdx.x;

    // cada hilo suma varios elementos
    float temp = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        temp += x[i] * y[i];
    cache[tid] = temp;
    __syncthreads();

    // reducción en árbol
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(resultado, cache[0]);
}

int main(int argc, char *argv[])
{
    int n = 100000;
    if (argc > 1) n = atoi(argv[1]);
    if (n <= 0 || n > 100000000) {
        printf("n no válido\n");
        return -1;
    }

    size_t bytes = n * sizeof(float);
    float *h_x = (float*)malloc(bytes);
    float *h_y = (float*)malloc(bytes);
    double esperado = 0;
    for (int i = 0; i < n; i++) {
        h_x[i] = (float)(i % 3 + 1) / 4;
        h_y[i] = (float)(i % 4) / 2;
        esperado += (double)h_x[i] * h_y[i];
    }

    float *d_x, *d_y, *d_res, h_res;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_res, sizeof(float));
    cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice);
    cudaMemset(d_res, 0, sizeof(float));     // el acumulador empieza en cero

    int bloques = (n + HILOS - 1) / HILOS;
    if (bloques > MAX_BLOQUES) bloques = MAX_BLOQUES;
    productoEscalar<<<bloques, HILOS>>>(d_x, d_y, d_res, n);

    cudaMemcpy(&h_res, d_res, sizeof(float), cudaMemcpyDeviceToHost);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("Error: %s\n", cudaGetErrorString(err));
        return -1;
    }

    printf("GPU: %f   CPU: %f\n", h_res, esperado);
    if (fabs(h_res - esperado) < 1e-4 * fabs(esperado) + 1e-3)
        printf("Correcto\n");
    else
        printf("INCORRECTO\n");

    cudaFree(d_x); cudaFree(d_y); cudaFree(d_res);
    free(h_x); free(h_y);
    return 0;
}
