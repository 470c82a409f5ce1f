// Práctica 2: multiplicación de matrices por bloques
// C (m x p) = A (m x q) * B (q x p), doble precisión
// El bloque de hilos es de una dimensión: T*T hilos

template <int T>
__global__ void multBloques(double *C, const double *A, const double *B,
                            int m, int q, int p)
{
    __shared__ double sa[T * T];
    __shared__ double sb[T * T];

    const int fy = threadIdx.x / T;   // fila dentro del bloque
    const int fx = threadIdx.x % T;   // columna dentro del bloque
    const int fila = blockIdx.y * T + fy;
    const int colu = blockIdx.x * T + fx;

    double suma = 0.0;

    for (int base = 0; base < q; base += T) {
        // cada hilo trae un elemento de A y otro de B
        if (fila < m && base + fx < q)
            sa[fy * T + fx] = A[fila * q + base + fx];
        else
            sa[fy * T + fx] = 0.0;

        if (base + fy < q && colu < p)
            sb[fy * T + fx] = B[(base + fy) * p + colu];
        else
            sb[fy * T + fx] = 0.0;

        // producto parcial
        for (int k = 0; k < T; k++)
            suma += sa[fy * T + k] * sb[k * T + fx];

        // esperar antes de cambiar de bloque
        __syncthreads();
    }

    if (fila < m && colu < p)
        C[fila * p + colu] = suma;
}

void lanzar(double *dC, const double *dA, const double *dB, int m, int q, int p)
{
    const int T = 16;
    dim3 malla((p + T - 1) / T, (m + T - 1) / T);
    multBloques<T><<<malla, T * T>>>(dC, dA, dB, m, q, p);
    cudaDeviceSynchronize();
}
