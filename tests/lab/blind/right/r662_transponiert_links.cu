// Übung 4, Aufgabe 2: C = A^T * B in doppelter Genauigkeit.
// Alle Matrizen liegen spaltenweise (wie in Fortran) mit führender Dimension.
//   A: k x m  (lda >= k),  B: k x n  (ldb >= k),  C: m x n  (ldc >= m)
#include <cuda_runtime.h>

struct Matrix {
    int zeilen;
    int spalten;
    int ld;
    double *daten;
};

// Jeder Thread berechnet ZEILEN_PRO_THREAD Elemente einer Spalte von C.
constexpr int ZEILEN_PRO_THREAD = 2;

__global__ void atb_kernel(const Matrix A, const Matrix B, Matrix C)
{
    const int m = A.spalten, n = B.spalten, k = A.zeilen;
    const int spalte = blockIdx.y * blockDim.y + threadIdx.y;
    const int basis = blockIdx.x * blockDim.x * ZEILEN_PRO_THREAD + threadIdx.x;

    if (spalte >= n) return;
    const double *b = B.daten + (size_t)spalte * B.ld;

    for (int r = 0; r < ZEILEN_PRO_THREAD; ++r) {
        const int zeile = basis + r * blockDim.x;
        if (zeile < m) {
            const double *a = A.daten + (size_t)zeile * A.ld;
            double summe = 0.0;
            for (int l = 0; l < k; ++l)
                summe += a[l] * b[l];
            C.daten[zeile + (size_t)spalte * C.ld] = summe;
        }
    }
}

static Matrix auf_geraet(const double *h, int zeilen, int spalten, int ld)
{
    Matrix M{zeilen, spalten, ld, nullptr};
    size_t bytes = (size_t)ld * spalten * sizeof(double);
    cudaMalloc((void **)&M.daten, bytes);
    cudaMemcpy(M.daten, h, bytes, cudaMemcpyHostToDevice);
    return M;
}

// hA, hB, hC sind volle Felder mit ld * spalten Elementen.
void atb(int m, int n, int k, const double *hA, int lda, const double *hB, int ldb, double *hC, int ldc)
{
    Matrix A = auf_geraet(hA, k, m, lda);
    Matrix B = auf_geraet(hB, k, n, ldb);
    Matrix C = auf_geraet(hC, m, n, ldc);   // mitkopieren, damit die Füllzeilen erhalten bleiben

    dim3 block(32, 8);
    dim3 gitter((m + 32 * ZEILEN_PRO_THREAD - 1) / (32 * ZEILEN_PRO_THREAD), (n + 7) / 8);
    atb_kernel<<<gitter, block>>>(A, B, C);

    cudaMemcpy(hC, C.daten, (size_t)ldc * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(A.daten);
    cudaFree(B.daten);
    cudaFree(C.daten);
}
