// Producto escalar exacto de dos vectores de enteros de 32 bits.
// El resultado se guarda en 64 bits; los valores pueden ser cualesquiera con tal de
// que la suma total quepa en 64 bits. *resultado debe valer 0 al empezar.
//
//   productoEscalar<<<bloques, 256, 256 * sizeof(long long)>>>(x, y, n, resultado);

__global__ void productoEscalar(const int *x, const int *y, int n,
                                unsigned long long *resultado)
{
    extern __shared__ long long parcial[];

    const int t = threadIdx.x;
    long long suma = 0;

    for (long long i = (long long)blockIdx.x * blockDim.x + t; i < n;
         i += (long long)gridDim.x * blockDim.x)
        suma += x[i] * y[i];

    parcial[t] = suma;
    __syncthreads();

    // reducción en árbol (blockDim.x es potencia de dos)
    for (int paso = blockDim.x / 2; paso > 0; paso >>= 1) {
        if (t < paso)
            parcial[t] += parcial[t + paso];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(resultado, (unsigned long long)parcial[0]);   // complemento a dos
}
