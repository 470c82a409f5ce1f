// Práctica 3 - Producto de matrices por mosaicos (tiles) en memoria compartida
// Lanzamiento: bloque (LADO, LADO), malla (ceil(columnas/LADO), ceil(filas/LADO))
#define LADO 16

__global__ void productoMosaicos(float *C, const float *A, const float *B,
                                 int filas, int comun, int columnas)
{
    __shared__ float mosaicoA[LADO][LADO];
    __shared__ float mosaicoB[LADO][LADO];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int fila = blockIdx.y * LADO + ty;
    const int columna = blockIdx.x * LADO + tx;

    float acumulado = 0.0f;
    const int numMosaicos = (comun + LADO - 1) / LADO;

    for (int m = 0; m < numMosaicos; m++) {
        const int colA = m * LADO + tx;
        const int filB = m * LADO + ty;

        // relleno con ceros fuera de los limites
        mosaicoA[ty][tx] = (fila < filas && colA < comun) ? A[fila * comun + colA] : 0.0f;
        mosaicoB[ty][tx] = (filB < comun && columna < columnas) ? B[filB * columnas + columna] : 0.0f;
        __syncthreads();

        for (int k = 0; k < LADO; k++)
            acumulado += mosaicoA[ty][k] * mosaicoB[k][tx];
        __syncthreads();
    }

    if (fila < filas && columna < columnas)
        C[fila * columnas + columna] = acumulado;
}
