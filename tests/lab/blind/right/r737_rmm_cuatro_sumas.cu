// RMM con cuatro acumuladores: cada hilo calcula el cuadrado 2x2 de A*B
// que le toca y al final suma sus cuatro elementos.
//
// A: m x k   B: k x n   R: (m/2) x (n/2), todo por filas, tipo double.
// Si m o n es impar, la ultima fila o columna no participa.
//
// Uso:
//   dim3 hilos(LADO_R, LADO_R);
//   dim3 bloques((n/2 + LADO_R - 1) / LADO_R, (m/2 + LADO_R - 1) / LADO_R);
//   rmm_cuatro<<<bloques, hilos>>>(A, B, R, m, k, n);

#define LADO_R 16             // elementos de R por lado del bloque
#define LADO_C (2 * LADO_R)   // elementos del producto por lado

__global__ void rmm_cuatro(const double *A, const double *B, double *R,
                           int m, int k, int n)
{
    __shared__ double As[LADO_C][LADO_R + 1];
    __shared__ double Bs[LADO_R][LADO_C];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int fila0 = blockIdx.y * LADO_C;      // primera fila de A del bloque
    int columna0 = blockIdx.x * LADO_C;   // primera columna de B del bloque

    double c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int paso = 0; paso < k; paso += LADO_R)
    {
        // A: 32 filas x 16 columnas, dos elementos por hilo
        int colA = paso + tx;
        int f1 = fila0 + ty;
        int f2 = fila0 + ty + LADO_R;
        As[ty][tx] = (f1 < m && colA < k) ? A[(size_t)f1 * k + colA] : 0.0;
        As[ty + LADO_R][tx] = (f2 < m && colA < k) ? A[(size_t)f2 * k + colA] : 0.0;

        // B: 16 filas x 32 columnas, dos elementos por hilo
        int filaB = paso + ty;
        int g1 = columna0 + tx;
        int g2 = columna0 + tx + LADO_R;
        Bs[ty][tx] = (filaB < k && g1 < n) ? B[(size_t)filaB * n + g1] : 0.0;
        Bs[ty][tx + LADO_R] = (filaB < k && g2 < n) ? B[(size_t)filaB * n + g2] : 0.0;

        __syncthreads();

        for (int p = 0; p < LADO_R; p++)
        {
            double a0 = As[2 * ty][p];
            double a1 = As[2 * ty + 1][p];
            double b0 = Bs[p][2 * tx];
            double b1 = Bs[p][2 * tx + 1];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }

        __syncthreads();
    }

    int i = blockIdx.y * LADO_R + ty;
    int j = blockIdx.x * LADO_R + tx;
    if (i < m / 2 && j < n / 2)
        R[(size_t)i * (n / 2) + j] = (c00 + c01) + (c10 + c11);
}
