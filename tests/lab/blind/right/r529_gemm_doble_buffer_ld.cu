// Práctica 3 - GEMM con doble buffer en memoria compartida
// Submatrices por filas con dimensión principal (lda >= K, ldb >= N, ldc >= N)
#include <cassert>
#include <cuda_runtime.h>

#define T 32          // lado del azulejo
#define FPH 4         // filas por hilo
#define HY (T / FPH)  // bloque de 32 x 8

__device__ __forceinline__ void cargar(float (*sA)[T], float (*sB)[T],
                                       const float *A, int lda, const float *B, int ldb,
                                       int M, int N, int K, int fila0, int col0, int k0)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
    for (int r = 0; r < FPH; ++r) {
        const int y = ty + r * HY;
        const int fa = fila0 + y, ca = k0 + tx;
        const int fb = k0 + y, cb = col0 + tx;
        sA[y][tx] = (fa < M && ca < K) ? A[(size_t)fa * lda + ca] : 0.0f;
        sB[y][tx] = (fb < K && cb < N) ? B[(size_t)fb * ldb + cb] : 0.0f;
    }
}

__global__ void gemmDobleBuffer(int M, int N, int K,
                                const float *__restrict__ A, int lda,
                                const float *__restrict__ B, int ldb,
                                float *__restrict__ C, int ldc)
{
    __shared__ float sA[2][T][T];
    __shared__ float sB[2][T][T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int fila0 = blockIdx.y * T, col0 = blockIdx.x * T;
    const int pasos = (K + T - 1) / T;
    float acc[FPH] = {0.f, 0.f, 0.f, 0.f};

    cargar(sA[0], sB[0], A, lda, B, ldb, M, N, K, fila0, col0, 0);
    __syncthreads();

    for (int p = 0; p < pasos; ++p) {
        const int act = p & 1;
        // se trae el siguiente azulejo al otro buffer mientras se calcula con éste
        if (p + 1 < pasos)
            cargar(sA[act ^ 1], sB[act ^ 1], A, lda, B, ldb, M, N, K, fila0, col0, (p + 1) * T);

#pragma unroll
        for (int k = 0; k < T; ++k) {
            const float b = sB[act][k][tx];
#pragma unroll
            for (int r = 0; r < FPH; ++r)
                acc[r] += sA[act][ty + r * HY][k] * b;
        }
        __syncthreads();
    }

    const int c = col0 + tx;
#pragma unroll
    for (int r = 0; r < FPH; ++r) {
        const int f = fila0 + ty + r * HY;
        if (f < M && c < N)
            C[(size_t)f * ldc + c] = acc[r];
    }
}

void lanzarGemm(int M, int N, int K, const float *A, int lda, const float *B, int ldb,
                float *C, int ldc)
{
    assert(M > 0 && N > 0 && K > 0);
    assert(lda >= K && ldb >= N && ldc >= N);
    dim3 bloque(T, HY);
    dim3 malla((N + T - 1) / T, (M + T - 1) / T);
    gemmDobleBuffer<<<malla, bloque>>>(M, N, K, A, lda, B, ldb, C, ldc);
    cudaDeviceSynchronize();
}
