// Prodotto matrice-vettore in stile BLAS (dgemv, 'N'):
//     y = alpha * A * x + beta * y
// A e' m x n memorizzata per colonne, con lda >= m; incx e incy positivi.
// Lancio previsto: dgemv_n<<<(m + BLOCCO - 1) / BLOCCO, BLOCCO>>>(...)
// Un thread per riga: thread vicini leggono righe vicine => accesso coalescente.
#include <cuda_runtime.h>

constexpr int BLOCCO = 128;

template <typename Reale>
struct VistaColonne {
    const Reale *dati;
    int righe, colonne, ld;

    __device__ Reale operator()(int i, int j) const
    {
        return dati[i + static_cast<size_t>(j) * ld];
    }
};

template <typename Reale>
__device__ void corpo_gemv(const VistaColonne<Reale> &A, Reale alpha, const Reale *x, int incx,
                           Reale beta, Reale *y, int incy)
{
    __shared__ Reale xs[BLOCCO];

    const int riga = blockIdx.x * BLOCCO + threadIdx.x;
    Reale somma = 0;

    for (int j0 = 0; j0 < A.colonne; j0 += BLOCCO) {
        // il blocco intero porta un pezzo di x in memoria condivisa
        const int j = j0 + threadIdx.x;
        if (j < A.colonne)
            xs[threadIdx.x] = x[static_cast<size_t>(j) * incx];
        __syncthreads();

        const int quanti = min(BLOCCO, A.colonne - j0);
        if (riga < A.righe)
            for (int q = 0; q < quanti; ++q)
                somma += A(riga, j0 + q) * xs[q];
        __syncthreads();
    }

    if (riga < A.righe) {
        Reale &dest = y[static_cast<size_t>(riga) * incy];
        if (beta == Reale(0))
            dest = alpha * somma;
        else
            dest = alpha * somma + beta * dest;
    }
}

__global__ void dgemv_n(int m, int n, double alpha, const double *A, int lda,
                        const double *x, int incx, double beta, double *y, int incy)
{
    VistaColonne<double> v{A, m, n, lda};
    corpo_gemv<double>(v, alpha, x, incx, beta, y, incy);
}

__global__ void sgemv_n(int m, int n, float alpha, const float *A, int lda,
                        const float *x, int incx, float beta, float *y, int incy)
{
    VistaColonne<float> v{A, m, n, lda};
    corpo_gemv<float>(v, alpha, x, incx, beta, y, incy);
}
