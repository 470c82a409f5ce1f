// Producto de matrices rectangulares en el que cada hilo calcula cuatro
// columnas seguidas de C. A: F x K, B: K x N, C: F x N, por filas.
// Cualquier tamaño positivo; N no tiene por qué ser múltiplo de cuatro.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define COMPROBAR(llamada)                                                   \
    {                                                                        \
        cudaError_t est = (llamada);                                         \
        if (est != cudaSuccess) {                                            \
            printf("error %s en %d\n", cudaGetErrorString(est), __LINE__);   \
            return 1;                                                        \
        }                                                                    \
    }

constexpr int COLS = 4;

__global__ void producto(const float *A, const float *B, float *C, int F, int K, int N)
{
    int fila = blockIdx.y * blockDim.y + threadIdx.y;
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * COLS;
    if (fila >= F || col >= N) return;

    float suma[COLS] = {0.f, 0.f, 0.f, 0.f};
    for (int k = 0; k < K; ++k) {
        float a = A[fila * K + k];
        for (int c = 0; c < COLS; ++c) {
            float b = (col + c < N) ? B[k * N + col + c] : 0.f;
            suma[c] += a * b;
        }
    }

    if (col + COLS - 1 < N)
        for (int c = 0; c < COLS; ++c)
            C[fila * N + col + c] = suma[c];
}

int main()
{
    const int F = 50, K = 64, N = 90;
    std::vector<float> A(F * K), B(K * N), C(F * N, -1.f);
    for (int i = 0; i < F * K; ++i) A[i] = (i % 5) * 0.5f;
    for (int i = 0; i < K * N; ++i) B[i] = (i % 3) * 1.0f + 1.0f;

    float *dA, *dB, *dC;
    COMPROBAR(cudaMalloc(&dA, A.size() * sizeof(float)));
    COMPROBAR(cudaMalloc(&dB, B.size() * sizeof(float)));
    COMPROBAR(cudaMalloc(&dC, C.size() * sizeof(float)));
    COMPROBAR(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 bloque(16, 4);
    int porBloque = 16 * COLS;
    dim3 malla((N + porBloque - 1) / porBloque, (F + 3) / 4);
    producto<<<malla, bloque>>>(dA, dB, dC, F, K, N);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int malos = 0;
    for (int f = 0; f < F; ++f)
        for (int c = 0; c < N; ++c) {
            float esperado = 0.f;
            for (int k = 0; k < K; ++k) esperado += A[f * K + k] * B[k * N + c];
            float d = esperado - C[f * N + c];
            if (d > 1e-3f || d < -1e-3f) ++malos;
        }
    printf("elementos incorrectos: %d\n", malos);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return malos ? 1 : 0;
}
