// Práctica 3: producto de matrices con memoria compartida
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define ANCHO 16

#define COMPROBAR(x) { cudaError_t _e = (x); if (_e != cudaSuccess) { \
    printf("Error %s en la linea %d\n", cudaGetErrorString(_e), __LINE__); exit(-1); } }

__global__ void productoCompartido(float *A, float *B, float *C, int M, int K, int N)
{
    __shared__ float As[ANCHO][ANCHO];
    __shared__ float Bs[ANCHO][ANCHO];

    int fila = blockIdx.y * blockDim.y + threadIdx.y;
    int columna = blockIdx.x * blockDim.x + threadIdx.x;

    // hilos que caen fuera de la matriz C
    if (fila >= M || columna >= N)
        return;

    float acumulado = 0.0f;
    for (int t = 0; t < (K + ANCHO - 1) / ANCHO; t++) {
        if (t * ANCHO + threadIdx.x < K)
            As[threadIdx.y][threadIdx.x] = A[fila * K + t * ANCHO + threadIdx.x];
        else
            As[threadIdx.y][threadIdx.x] = 0.0f;

        if (t * ANCHO + threadIdx.y < K)
            Bs[threadIdx.y][threadIdx.x] = B[(t * ANCHO + threadIdx.y) * N + columna];
        else
            Bs[threadIdx.y][threadIdx.x] = 0.0f;

        __syncthreads();
        for (int k = 0; k < ANCHO; k++)
            acumulado += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    C[fila * N + columna] = acumulado;
}

int main()
{
    const int M = 100, K = 150, N = 90;
    float *A, *B, *C;
    COMPROBAR(cudaMallocManaged(&A, M * K * sizeof(float)));
    COMPROBAR(cudaMallocManaged(&B, K * N * sizeof(float)));
    COMPROBAR(cudaMallocManaged(&C, M * N * sizeof(float)));
    for (int i = 0; i < M * K; i++) A[i] = (float)(i % 6);
    for (int i = 0; i < K * N; i++) B[i] = (float)(i % 4) + 1.0f;

    dim3 hilos(ANCHO, ANCHO);
    dim3 bloques((N + ANCHO - 1) / ANCHO, (M + ANCHO - 1) / ANCHO);
    productoCompartido<<<bloques, hilos>>>(A, B, C, M, K, N);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaDeviceSynchronize());

    int mal = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (fabsf(s - C[i * N + j]) > 1e-2f) mal++;
        }
    printf("%s\n", mal ? "MAL" : "BIEN");
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
