// Practica 2: producto de matrices con dimension principal (leading dimension)
//
//   C[m x n] = A[m x k] * B[k x n]
//
// Las tres matrices estan guardadas por filas y pueden ser parte de otra
// matriz mas grande: la fila i de A empieza en A + i*lda (lda >= k), la de B
// en B + i*ldb (ldb >= n), y la de C en C + i*ldc (ldc >= n).
//
// Bloque de BX x BY hilos, un elemento de C por hilo.
// Malla: (ceil(n/BX), ceil(m/BY)).

#define BX 32
#define BY 8
#define KT 32      // ancho de la franja de k

__global__ void producto_ld(int m, int n, int k,
                            const double *A, int lda,
                            const double *B, int ldb,
                            double *C, int ldc)
{
    __shared__ double sa[BY][KT];
    __shared__ double sb[KT][BX];

    const int fila = blockIdx.y * BY + threadIdx.y;
    const int col  = blockIdx.x * BX + threadIdx.x;

    double suma = 0.0;

    for (int k0 = 0; k0 < k; k0 += KT) {
        // franja de A: BY x KT, un elemento por hilo (KT == BX)
        const int ka = k0 + threadIdx.x;
        sa[threadIdx.y][threadIdx.x] =
            (fila < m && ka < k) ? A[(size_t)fila * lda + ka] : 0.0;

        // franja de B: KT x BX, KT/BY elementos por hilo
        for (int r = threadIdx.y; r < KT; r += BY) {
            const int kb = k0 + r;
            sb[r][threadIdx.x] =
                (kb < k && col < n) ? B[(size_t)kb * ldb + col] : 0.0;
        }
        __syncthreads();

        for (int p = 0; p < KT; p++)
            suma += sa[threadIdx.y][p] * sb[p][threadIdx.x];
        __syncthreads();
    }

    if (fila < m && col < n)
        C[(size_t)fila * ldb + col] = suma;
}
