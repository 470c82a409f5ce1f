// Práctica 3 - Producto de matrices con memoria compartida
// C (filas x cols) = A (filas x k) * B (k x cols), todo por filas.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define LADO 16

#define COMPROBAR(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "error CUDA: %s (linea %d)\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

__global__ void producto(const float *A, const float *B, float *C, int filas, int k, int cols)
{
    __shared__ float ta[LADO][LADO];
    __shared__ float tb[LADO][LADO];

    int tx = threadIdx.x, ty = threadIdx.y;
    int f = blockIdx.y * LADO + ty;
    int c = blockIdx.x * LADO + tx;
    float suma = 0.0f;

    for (int base = 0; base < k; base += LADO) {
        // fuera de la matriz ponemos ceros
        ta[ty][tx] = (f < filas && base + tx < k) ? A[f * k + base + tx] : 0.0f;
        tb[ty][tx] = (c < cols && base + ty < k) ? B[(base + ty) * cols + c] : 0.0f;
        __syncthreads();
        for (int p = 0; p < LADO; p++)
            suma += ta[ty][p] * tb[p][tx];
        __syncthreads();
    }
    if (f < filas && c < cols)
        C[f * cols + c] = suma;
}

int main(int argc, char **argv)
{
    int filas = argc > 1 ? atoi(argv[1]) : 100;
    int k     = argc > 2 ? atoi(argv[2]) : 75;
    int cols  = argc > 3 ? atoi(argv[3]) : 130;
    if (filas < 1 || k < 1 || cols < 1 || filas > 2000 || k > 2000 || cols > 2000) {
        printf("dimensiones entre 1 y 2000\n");
        return 1;
    }
    size_t bA = (size_t)filas * k * sizeof(float);
    size_t bB = (size_t)k * cols * sizeof(float);
    size_t bC = (size_t)filas * cols * sizeof(float);
    float *hA = (float *)malloc(bA), *hB = (float *)malloc(bB), *hC = (float *)malloc(bC);
    for (int i = 0; i < filas * k; i++) hA[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; i < k * cols; i++)  hB[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    COMPROBAR(cudaMalloc(&dA, bA));
    COMPROBAR(cudaMalloc(&dB, bB));
    COMPROBAR(cudaMalloc(&dC, bC));
    COMPROBAR(cudaMemcpy(dA, hA, bA, cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy(dB, hB, bB, cudaMemcpyHostToDevice));

    dim3 hilos(LADO, LADO);
    dim3 bloques((cols + LADO - 1) / LADO, (filas + LADO - 1) / LADO);
    producto<<<bloques, hilos>>>(dA, dB, dC, filas, k, cols);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaMemcpy(hC, dC, bC, cudaMemcpyDeviceToHost));

    int malos = 0;
    for (int i = 0; i < filas; i++)
        for (int j = 0; j < cols; j++) {
            float s = 0.0f;
            for (int p = 0; p < k; p++) s += hA[i * k + p] * hB[p * cols + j];
            if (fabsf(s - hC[i * cols + j]) > 1e-3f) malos++;
        }
    printf("%s (%d errores)\n", malos ? "MAL" : "BIEN", malos);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return malos != 0;
}
