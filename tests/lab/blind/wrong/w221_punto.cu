// Producto punto, reducción con direccionamiento intercalado
// <<<ceil(n / 256), 256>>>, parciales: un valor por bloque
#define HILOS 256

__global__ void puntoIntercalado(double *parciales, const double *x, const double *y, int n)
{
    __shared__ double datos[HILOS];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * HILOS + tid;

    datos[tid] = (i < n) ? x[i] * y[i] : 0.0;

    for (unsigned int paso = 1; paso < HILOS; paso *= 2) {
        unsigned int indice = 2 * paso * tid;
        if (indice < HILOS)
            datos[indice] += datos[indice + paso];
        __syncthreads();
    }

    if (tid == 0) {
        parciales[blockIdx.x] = datos[0];
    }
}

void productoPunto(double *parciales, const double *x, const double *y, int n)
{
    puntoIntercalado<<<(n + HILOS - 1) / HILOS, HILOS>>>(parciales, x, y, n);
}
