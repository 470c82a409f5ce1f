// Multiplicación con K partido ("split-K"): para matrices C pequeñas y K grande
// un solo bloque por baldosa no llena la GPU, así que varios bloques (eje z)
// hacen cada uno un trozo de K y lo suman en C.
#include <cuda_runtime.h>
#include <cassert>

#define LADO 16

__global__ void matmulSplitK(const float *A, const float *B, float *C,
                             int M, int N, int K, int trozo)
{
    __shared__ float sA[LADO][LADO];
    __shared__ float sB[LADO][LADO];

    int fila = blockIdx.y * LADO + threadIdx.y;
    int col  = blockIdx.x * LADO + threadIdx.x;

    int kIni = blockIdx.z * trozo;
    int kFin = min(K, kIni + trozo);

    float suma = 0.0f;
    for (int k0 = kIni; k0 < kFin; k0 += LADO) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (fila < M && ka < kFin) ? A[(size_t)fila * K + ka] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = (kb < kFin && col < N) ? B[(size_t)kb * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < LADO; k++)
            suma += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }

    // cada trozo aporta su parte
    if (fila < M && col < N)
        C[(size_t)fila * N + col] += suma;
}

// dA, dB, dC en la GPU
void lanzarSplitK(const float *dA, const float *dB, float *dC, int M, int N, int K)
{
    assert(M > 0 && N > 0 && K > 0);
    const int trozo = 512;
    int partes = (K + trozo - 1) / trozo;

    dim3 bloque(LADO, LADO);
    dim3 malla((N + LADO - 1) / LADO, (M + LADO - 1) / LADO, partes);

    // C empieza en cero porque todos suman sobre ella
    cudaMemset(dC, 0, (size_t)M * N * sizeof(float));
    matmulSplitK<<<malla, bloque>>>(dA, dB, dC, M, N, K, trozo);
    cudaDeviceSynchronize();
}
