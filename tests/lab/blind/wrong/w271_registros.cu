// Multiplicación de matrices con bloques en registros (4 filas por hilo)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define COMPROBAR(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    printf("error %s en la línea %d\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

#define BM 32
#define BN 32
#define BK 32
#define POR_HILO 4

// bloque de hilos: 32 x 8
__global__ void mult(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * BN + tx;
    int fila0 = blockIdx.y * BM;

    float acc[POR_HILO] = {0.f, 0.f, 0.f, 0.f};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int r = ty; r < BM; r += BM / POR_HILO) {
            int f = fila0 + r;
            As[r][tx] = (f < M && k0 + tx < K) ? A[f * K + k0 + tx] : 0.f;
            Bs[r][tx] = (k0 + r < K && col < N) ? B[(k0 + r) * N + col] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float b = Bs[k][tx];
            for (int i = 0; i < POR_HILO; ++i)
                acc[i] += As[ty + i * (BM / POR_HILO)][k] * b;
        }
    }

    for (int i = 0; i < POR_HILO; ++i) {
        int f = fila0 + ty + i * (BM / POR_HILO);
        if (f < M && col < N) C[f * N + col] = acc[i];
    }
}

int main()
{
    int M = 500, N = 420, K = 610;
    float *a, *b, *c;
    COMPROBAR(cudaMallocManaged(&a, M * K * sizeof(float)));
    COMPROBAR(cudaMallocManaged(&b, K * N * sizeof(float)));
    COMPROBAR(cudaMallocManaged(&c, M * N * sizeof(float)));
    for (int i = 0; i < M * K; ++i) a[i] = (float)(i % 5 - 2);
    for (int i = 0; i < K * N; ++i) b[i] = (float)(i % 3);

    dim3 hilos(32, 8);
    dim3 malla((N + BN - 1) / BN, (M + BM - 1) / BM);
    mult<<<malla, hilos>>>(a, b, c, M, N, K);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaDeviceSynchronize());

    int malos = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
            malos += fabsf(s - c[i * N + j]) > 1e-2f;
        }
    printf("elementos malos: %d\n", malos);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return malos > 0;
}
