// Practica 6: producto con entradas en half y suma en float
// A es M x K por filas; B es K x N por columnas (columna j empieza en B + j*K)
// C es M x N por filas, en float
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_fp16.h>

constexpr int LADO  = 32;   // lado de la baldosa
constexpr int FILAS = 8;    // filas de hilos por bloque
constexpr int POR_HILO = LADO / FILAS;

__global__ void producto_half(const __half *__restrict__ A, const __half *__restrict__ B,
                              float *__restrict__ C, int M, int N, int K)
{
    __shared__ float sA[LADO][LADO];
    __shared__ float sB[LADO][LADO + 1];   // sB[columna][k]

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int f0 = blockIdx.y * LADO;
    const int c0 = blockIdx.x * LADO;

    float suma[POR_HILO];
    for (int i = 0; i < POR_HILO; i++) suma[i] = 0.f;

    for (int k0 = 0; k0 < K; k0 += LADO) {
        const int k = k0 + tx;
        for (int r = ty; r < LADO; r += FILAS) {
            sA[r][tx] = (f0 + r < M && k < K) ? __half2float(A[(size_t)(f0 + r) * K + k]) : 0.f;
            sB[r][tx] = (c0 + r < N && k < K) ? __half2float(B[(size_t)(c0 + r) * K + k]) : 0.f;
        }
        __syncthreads();

        for (int kk = 0; kk < LADO; kk++) {
            const float b = sB[tx][kk];
            for (int i = 0; i < POR_HILO; i++)
                suma[i] += sA[ty + i * FILAS][kk] * b;
        }
        __syncthreads();
    }

    const int col = c0 + tx;
    if (col >= N) return;
    for (int i = 0; i < POR_HILO; i++) {
        const int fila = f0 + ty + i * FILAS;
        if (fila < M) C[(size_t)fila * N + col] = suma[i];
    }
}

int main(int argc, char **argv)
{
    const int M = argc > 1 ? atoi(argv[1]) : 70;
    const int N = argc > 2 ? atoi(argv[2]) : 45;
    const int K = argc > 3 ? atoi(argv[3]) : 90;

    __half *A = new __half[(size_t)M * K];
    __half *B = new __half[(size_t)K * N];
    float  *C = new float[(size_t)M * N];
    for (int i = 0; i < M * K; i++) A[i] = __float2half((float)(i % 5 - 2));
    for (int i = 0; i < K * N; i++) B[i] = __float2half((float)(i % 3 - 1) * 0.5f);

    __half *dA, *dB;
    float *dC;
    cudaMalloc((void **)&dA, sizeof(__half) * M * K);
    cudaMalloc((void **)&dB, sizeof(__half) * K * N);
    cudaMalloc((void **)&dC, sizeof(float) * M * N);
    cudaMemcpy(dA, A, sizeof(__half) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(__half) * K * N, cudaMemcpyHostToDevice);

    dim3 hilos(LADO, FILAS);
    dim3 bloques((N + LADO - 1) / LADO, (M + LADO - 1) / LADO);
    producto_half<<<bloques, hilos>>>(dA, dB, dC, M, N, K);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("error: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(C, dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);

    int malos = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += __half2float(A[i * K + k]) * __half2float(B[j * K + k]);
            if (fabsf(s - C[i * N + j]) > 0.01f) malos++;
        }
    printf("elementos malos: %d\n", malos);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return malos ? 1 : 0;
}
