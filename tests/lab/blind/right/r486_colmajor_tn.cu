// Produkt C = A^T * B in Spaltenordnung (column-major wie in Fortran).
// A: K x M, B: K x N, C: M x N.  Beliebige Groessen, ld >= Zeilenzahl.
// Aufruf: Block (T,T), Gitter (ceil(M/T), ceil(N/T)).
#include <cuda_runtime.h>

template <class Z>
struct Matrix {
    Z *daten;
    int zeilen, spalten, ld;
    __device__ bool drin(int i, int j) const { return i < zeilen && j < spalten; }
    __device__ Z &operator()(int i, int j) const { return daten[i + (size_t)j * ld]; }
};

template <class Z, int T>
__global__ void tn_produkt(Matrix<const Z> A, Matrix<const Z> B, Matrix<Z> C)
{
    __shared__ Z kachelA[T][T + 1];   // [Spalte von A][k]
    __shared__ Z kachelB[T][T + 1];   // [Spalte von B][k]

    const int x = threadIdx.x, y = threadIdx.y;
    const int i0 = blockIdx.x * T;    // Zeile von C
    const int j0 = blockIdx.y * T;    // Spalte von C
    const int K = A.zeilen;

    Z summe = Z(0);
    for (int k0 = 0; k0 < K; k0 += T) {
        // x laeuft entlang k: zusammenhaengender Zugriff
        kachelA[y][x] = A.drin(k0 + x, i0 + y) ? A(k0 + x, i0 + y) : Z(0);
        kachelB[y][x] = B.drin(k0 + x, j0 + y) ? B(k0 + x, j0 + y) : Z(0);
        __syncthreads();
        for (int q = 0; q < T; ++q)
            summe += kachelA[x][q] * kachelB[y][q];
        __syncthreads();
    }

    if (C.drin(i0 + x, j0 + y))
        C(i0 + x, j0 + y) = summe;
}

void tn_float(const float *A, int lda, const float *B, int ldb,
              float *C, int ldc, int M, int N, int K)
{
    constexpr int T = 16;
    Matrix<const float> a{A, K, M, lda};
    Matrix<const float> b{B, K, N, ldb};
    Matrix<float> c{C, M, N, ldc};
    dim3 block(T, T), gitter((M + T - 1) / T, (N + T - 1) / T);
    tn_produkt<float, T><<<gitter, block>>>(a, b, c);
}
