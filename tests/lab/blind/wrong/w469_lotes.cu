#include <cuda_runtime.h>
#include <cstddef>

// Producto por lotes: C[z] = A[z] * B[z], matrices seguidas en memoria, por filas.
struct Lote {
    const float *a;   // cantidad x m x k
    const float *b;   // cantidad x k x n
    float *c;         // cantidad x m x n
    int m, k, n;
    int cantidad;
};

constexpr int T = 16;

__device__ inline float leer(const float *p, int f, int c, int nf, int nc)
{
    if (f < nf && c < nc)
        return p[f * nc + c];
    return 0.0f;
}

__global__ void lote_mm(Lote q)
{
    __shared__ float ma[T][T];
    __shared__ float mb[T][T];

    const int fila = blockIdx.y * T + threadIdx.y;
    const int col  = blockIdx.x * T + threadIdx.x;
    const int pasos = (q.k + T - 1) / T;

    for (int z = blockIdx.z; z < q.cantidad; z += gridDim.z) {
        const float *a = q.a + (size_t)z * q.m * q.k;
        const float *b = q.b + (size_t)z * q.k * q.n;
        float *c       = q.c + (size_t)z * q.m * q.k;

        float s = 0.0f;
        for (int p = 0; p < pasos; p++) {
            ma[threadIdx.y][threadIdx.x] = leer(a, fila, p * T + threadIdx.x, q.m, q.k);
            mb[threadIdx.y][threadIdx.x] = leer(b, p * T + threadIdx.y, col, q.k, q.n);
            __syncthreads();
            for (int i = 0; i < T; i++)
                s += ma[threadIdx.y][i] * mb[i][threadIdx.x];
            __syncthreads();
        }
        if (fila < q.m && col < q.n)
            c[fila * q.n + col] = s;
    }
}

void lanzar(const Lote &q, cudaStream_t flujo)
{
    dim3 hilos(T, T);
    dim3 bloques((q.n + T - 1) / T, (q.m + T - 1) / T, q.cantidad < 64 ? q.cantidad : 64);
    lote_mm<<<bloques, hilos, 0, flujo>>>(q);
}
