// Producto punto con un único bloque de 1024 hilos: <<<1, 1024>>>
// Cada "tesela" de 1024 productos se guarda en memoria compartida
// y se acumula sobre la suma que lleva cada hilo.
#define HILOS 1024

__global__ void puntoUnBloque(float *salida, const float *v1, const float *v2, const int largo)
{
    __shared__ float producto[HILOS];
    const int h = threadIdx.x;

    producto[h] = 0.0f;
    for (int tesela = 0; tesela < (largo + HILOS - 1) / HILOS; tesela++) {
        const int pos = tesela * HILOS + h;
        if (pos < largo)
            producto[h] += v1[pos] * v2[pos];
    }
    __syncthreads();

    int activos = HILOS;
    while (activos > 1) {
        activos >>= 1;
        if (h < activos)
            producto[h] = producto[h] + producto[h + activos];
        __syncthreads();
    }

    if (h == 0)
        salida[0] = producto[0];
}
