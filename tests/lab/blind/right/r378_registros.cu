// Producto C = A * B con mosaicos en memoria compartida y un bloque de
// registros FT x CT por hilo. Bloque unidimensional de (FB/FT)*(CB/CT) hilos.
// Matrices por filas: A es M x K, B es K x N, C es M x N; tamaños positivos
// cualesquiera (los bordes se rellenan con ceros), con M <= 65535 * FB.
#include <cuda_runtime.h>

template <int FB, int CB, int KB, int FT, int CT>
__global__ void productoRegistros(const float* __restrict__ A,
                                  const float* __restrict__ B,
                                  float* __restrict__ C,
                                  int M, int K, int N)
{
    constexpr int HILOS_X = CB / CT;
    constexpr int HILOS = (FB / FT) * HILOS_X;
    __shared__ float tA[KB][FB + 1];   // A se guarda traspuesta
    __shared__ float tB[KB][CB];

    const int hilo = threadIdx.x;
    const int tc = hilo % HILOS_X;
    const int tf = hilo / HILOS_X;
    const int fila0 = blockIdx.y * FB;
    const int col0 = blockIdx.x * CB;

    float acum[FT][CT];
#pragma unroll
    for (int i = 0; i < FT; ++i)
#pragma unroll
        for (int j = 0; j < CT; ++j)
            acum[i][j] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += KB) {
        for (int e = hilo; e < FB * KB; e += HILOS) {
            const int f = e / KB, k = e % KB;
            float v = 0.0f;
            if (fila0 + f < M && k0 + k < K)
                v = A[(size_t)(fila0 + f) * K + k0 + k];
            tA[k][f] = v;
        }
        for (int e = hilo; e < KB * CB; e += HILOS) {
            const int k = e / CB, c = e % CB;
            float v = 0.0f;
            if (k0 + k < K && col0 + c < N)
                v = B[(size_t)(k0 + k) * N + col0 + c];
            tB[k][c] = v;
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < KB; ++k) {
            float ra[FT], rb[CT];
#pragma unroll
            for (int i = 0; i < FT; ++i) ra[i] = tA[k][tf * FT + i];
            // columnas intercaladas: hilos vecinos leen posiciones vecinas
#pragma unroll
            for (int j = 0; j < CT; ++j) rb[j] = tB[k][tc + j * HILOS_X];
#pragma unroll
            for (int i = 0; i < FT; ++i)
#pragma unroll
                for (int j = 0; j < CT; ++j)
                    acum[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < FT; ++i) {
        const int f = fila0 + tf * FT + i;
        if (f >= M) break;
#pragma unroll
        for (int j = 0; j < CT; ++j) {
            const int c = col0 + tc + j * HILOS_X;
            if (c < N) C[(size_t)f * N + c] = acum[i][j];
        }
    }
}

// Punteros de dispositivo.
void multiplicar(const float* dA, const float* dB, float* dC,
                 int M, int K, int N, cudaStream_t flujo = 0)
{
    constexpr int FB = 64, CB = 64, KB = 8, FT = 4, CT = 4;
    dim3 malla((N + CB - 1) / CB, (M + FB - 1) / FB);
    productoRegistros<FB, CB, KB, FT, CT>
        <<<malla, (FB / FT) * (CB / CT), 0, flujo>>>(dA, dB, dC, M, K, N);
}
