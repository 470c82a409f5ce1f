// Práctica 3: producto de matrices, memoria compartida lineal
// bloque (T, T), malla (ceil(n/T), ceil(m/T))
constexpr int T = 16;

__device__ int desplazamiento(int f, int c) { return f * T + c; }

__global__ void multiplica(int m, int k, int n,
                           const double *a, const double *b, double *c)
{
    __shared__ double memA[T * T];
    __shared__ double memB[T * T];

    const int f = threadIdx.y, col = threadIdx.x;
    const int fila = blockIdx.y * T + f;
    const int columna = blockIdx.x * T + col;
    double valor = 0.0;

    for (int t = 0; t < (k + T - 1) / T; ++t) {
        double va = 0.0, vb = 0.0;
        if (fila < m && t * T + col < k)
            va = a[fila * k + t * T + col];
        if (t * T + f < k && columna < n)
            vb = b[(t * T + f) * n + columna];
        memA[desplazamiento(f, col)] = va;
        memB[desplazamiento(f, col)] = vb;

        for (int q = 0; q < T; ++q)
            valor += memA[desplazamiento(f, q)] * memB[desplazamiento(q, col)];
        __syncthreads();
    }

    if (fila < m && columna < n)
        c[fila * n + columna] = valor;
}
