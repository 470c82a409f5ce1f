// gemv: y = alpha * A * x + beta * y
// A e' m x n per righe, con leading dimension lda >= n.
// Un blocco per riga; se i blocchi sono meno delle righe si va avanti a passi di gridDim.x.
// Lancio: gemv_blocco<T, BS><<<nblocchi, BS>>>(...), BS potenza di due.
#include <cuda_runtime.h>

template <typename T, int BS>
__global__ void gemv_blocco(int m, int n, T alpha, const T* A, int lda,
                            const T* x, T beta, T* y)
{
    static_assert((BS & (BS - 1)) == 0, "BS deve essere una potenza di due");
    __shared__ T parziali[BS];
    const int t = threadIdx.x;

    for (int riga = blockIdx.x; riga < m; riga += gridDim.x)
    {
        const T* a = A + (size_t)riga * lda;
        T s = T(0);
        for (int j = t; j < n; j += BS)
            s += a[j] * x[j];
        parziali[t] = s;
        __syncthreads();

        // albero
        #pragma unroll
        for (int d = BS / 2; d > 0; d >>= 1)
        {
            if (t < d)
                parziali[t] += parziali[t + d];
            __syncthreads();
        }

        if (t == 0)
        {
            T r = alpha * parziali[0];
            if (beta != T(0))       // con beta = 0 y puo' non essere inizializzato
                r += beta * y[riga];
            y[riga] = r;
        }
        __syncthreads();            // parziali viene riusato per la prossima riga
    }
}

template __global__ void gemv_blocco<float, 128>(int, int, float, const float*, int, const float*, float, float*);
template __global__ void gemv_blocco<double, 64>(int, int, double, const double*, int, const double*, double, double*);
