// C = A * Bt^T   (A: m x k, Bt: n x k)
// bloque (LADO, LADO), malla ((n + LADO - 1) / LADO, (m + LADO - 1) / LADO)
#define LADO 16

__global__ void productoABt(float *C, const float *A, const float *Bt, int m, int n, int k)
{
    __shared__ float sa[LADO][LADO + 1];
    __shared__ float sb[LADO][LADO + 1];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int filaA = blockIdx.y * LADO + ty;
    const int filaB = blockIdx.y * LADO + ty;
    const int columna = blockIdx.x * LADO + tx;

    float suma = 0.0f;
    for (int k0 = 0; k0 < k; k0 += LADO) {
        sa[ty][tx] = (filaA < m && k0 + tx < k) ? A[filaA * k + k0 + tx] : 0.0f;
        sb[ty][tx] = (filaB < n && k0 + tx < k) ? Bt[filaB * k + k0 + tx] : 0.0f;
        __syncthreads();
        for (int q = 0; q < LADO; ++q)
            suma += sa[ty][q] * sb[tx][q];
        __syncthreads();
    }
    if (filaA < m && columna < n)
        C[filaA * n + columna] = suma;
}
