// Producto punto de vectores de enteros, resultado exacto en 64 bits.
// Hay que lanzar los dos nucleos, siempre en este orden y en el mismo flujo:
//
//     poner_cero<<<1, 1>>>(res);
//     punto_enteros<<<bloques, 256>>>(x, y, n, res);
//
// El numero de bloques es libre. Los productos se hacen en long long,
// por eso no hay desborde mientras la suma quepa en 64 bits.

#define HILOS 256

typedef unsigned long long ull;

__global__ void poner_cero(long long *res)
{
    *res = 0;
}

__global__ void punto_enteros(const int *x, const int *y, int n, long long *res)
{
    __shared__ long long caja[HILOS];

    int t = threadIdx.x;
    long long i = (long long)blockIdx.x * HILOS + t;
    long long salto = (long long)gridDim.x * HILOS;

    long long mio = 0;
    for (; i < n; i += salto)
        mio += (long long)x[i] * y[i];

    caja[t] = mio;
    __syncthreads();

    // arbol hasta quedar 32 valores
    for (int d = HILOS / 2; d >= 32; d /= 2)
    {
        if (t < d)
            caja[t] += caja[t + d];
        __syncthreads();
    }

    // el primer warp termina con registros
    if (t < 32)
    {
        long long v = caja[t];
        for (int d = 16; d >= 1; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);
        // en complemento a dos la suma sin signo es la misma
        if (t == 0)
            atomicAdd((ull *)res, (ull)v);
    }
}
