#define LADO 16

// C[l] = A[l] * B[l] para cada l del lote (blockIdx.z); todo por filas y sin huecos
__global__ void productoLote(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float sa[LADO][LADO];
    __shared__ float sb[LADO][LADO];

    const int l = blockIdx.z;
    const float *a = A + (size_t)l * m * k;
    const float *b = B + (size_t)l * m * k;
    float *c = C + (size_t)l * m * n;

    int fila = blockIdx.y * LADO + threadIdx.y;
    int col = blockIdx.x * LADO + threadIdx.x;
    float suma = 0.0f;

    for (int f = 0; f < (k + LADO - 1) / LADO; f++) {
        int ka = f * LADO + threadIdx.x;
        int kb = f * LADO + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = (fila < m && ka < k) ? a[fila * k + ka] : 0.0f;
        sb[threadIdx.y][threadIdx.x] = (kb < k && col < n) ? b[kb * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < LADO; i++)
            suma += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }

    if (fila < m && col < n)
        c[fila * n + col] = suma;
}
