// Producto C = A * B repartiendo también la dimensión k entre bloques (gridDim.z partes).
// Cada bloque añade su contribución a C, que se pone a cero antes.
// m, n, k arbitrarios (de 1 a 10000).
#include <cuda_runtime.h>
#include <cstdio>

#define TX 16
#define TY 8
#define TK 16

__global__ void productoPartido(const float *A, const float *B, float *C,
                                int m, int n, int k, int porParte)
{
    __shared__ float a[TY][TK];
    __shared__ float b[TK][TX];

    const int fil = blockIdx.y * TY + threadIdx.y;
    const int col = blockIdx.x * TX + threadIdx.x;
    const int desde = blockIdx.z * porParte;
    const int hasta = min(k, desde + porParte);

    float acum = 0.0f;
    for (int p = desde; p < hasta; p += TK) {
        int ka = p + threadIdx.x;
        a[threadIdx.y][threadIdx.x] = (fil < m && ka < hasta) ? A[fil * k + ka] : 0.0f;
        for (int r = threadIdx.y; r < TK; r += TY) {
            int kb = p + r;
            b[r][threadIdx.x] = (kb < hasta && col < n) ? B[kb * n + col] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < TK; q++)
            acum += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }

    if (fil < m && col < n)
        C[fil * n + col] += acum;
}

int multiplica(const float *A, const float *B, float *C, int m, int n, int k)
{
    const int partes = k >= 256 ? 4 : 1;
    const int porParte = (k + partes - 1) / partes;

    cudaMemset(C, 0, (size_t)m * n * sizeof(float));
    dim3 hilos(TX, TY);
    dim3 bloques((n + TX - 1) / TX, (m + TY - 1) / TY, partes);
    productoPartido<<<bloques, hilos>>>(A, B, C, m, n, k, porParte);

    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
    return err == cudaSuccess ? 0 : -1;
}
