// Multiplicación reducida: de A (2m x k) y B (k x 2n) se obtiene C (m x n) donde
// cada elemento es la suma del cuadrado 2x2 correspondiente del producto A*B.
// (matrices de menos de 2^31 elementos). Se suman primero parejas de renglones de A y parejas de columnas de B.
//
// Lanzamiento:
//   dim3 hilos(TAM, TAM);
//   dim3 bloques((n + TAM - 1) / TAM, (m + TAM - 1) / TAM);
//   multiplicacionReducida<<<bloques, hilos>>>(A, B, C, 2*m, k, 2*n);

#define TAM 16

__global__ void multiplicacionReducida(const float *A, const float *B, float *C,
                                       int renglonesA, int comun, int columnasB)
{
    __shared__ float parejaA[TAM][TAM];
    __shared__ float parejaB[TAM][TAM];

    int x = threadIdx.x, y = threadIdx.y;
    int renglon = blockIdx.y * TAM + y;     // de C
    int columna = blockIdx.x * TAM + x;     // de C
    int m = renglonesA / 2;
    int n = columnasB / 2;

    float total = 0.0f;

    for (int paso = 0; paso < comun; paso += TAM)
    {
        int ka = paso + x;
        int kb = paso + y;

        if (renglon < m && ka < comun)
            parejaA[y][x] = A[(2 * renglon) * comun + ka]
                          + A[(2 * renglon + 1) * comun + ka];
        else
            parejaA[y][x] = 0.0f;

        if (kb < renglonesA && columna < n)
            parejaB[y][x] = B[kb * columnasB + 2 * columna]
                          + B[kb * columnasB + 2 * columna + 1];
        else
            parejaB[y][x] = 0.0f;

        __syncthreads();

        for (int k = 0; k < TAM; k++)
            total += parejaA[y][k] * parejaB[k][x];

        __syncthreads();
    }

    if (renglon < m && columna < n)
        C[renglon * n + columna] = total;
}
