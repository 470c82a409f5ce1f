/*
 * Projekt "reduziertes Produkt"
 * Zeilenpaare von A und Spaltenpaare von B werden vor der Multiplikation addiert,
 * das spart drei Viertel der Multiplikationen.
 *
 * Ein eindimensionaler Block mit 128 Threads rechnet 16 x 32 Elemente von C,
 * jeder Thread vier davon (Zeilen q, q+4, q+8, q+12 einer Spalte).
 */
#include <cuda_runtime.h>
#include <stdio.h>

enum { THREADS = 128, TM = 16, TN = 32, TK = 16 };
enum { ZEILEN_GRUPPEN = THREADS / TN, PRO_THREAD = TM / ZEILEN_GRUPPEN };

struct Matrix {
    int zeilen;
    int spalten;
    float *daten;    // Geraetespeicher, zeilenweise
};

__device__ float paarZeilen(const Matrix &A, int i, int k)
{
    if (2 * i + 1 >= A.zeilen || k >= A.spalten) return 0.0f;
    const float *p = A.daten + (size_t)(2 * i) * A.spalten + k;
    return p[0] + p[A.spalten];
}

__device__ float paarSpalten(const Matrix &B, int k, int j)
{
    if (k >= B.zeilen || 2 * j + 1 >= B.spalten) return 0.0f;
    const float *p = B.daten + (size_t)k * B.spalten + 2 * j;
    return p[0] + p[1];
}

__global__ void reduziertesProdukt(Matrix A, Matrix B, Matrix C)
{
    __shared__ float a[TM * TK];
    __shared__ float b[TK * TN];

    const int tid    = threadIdx.x;
    const int spalte = tid % TN;
    const int gruppe = tid / TN;          // 0..3, ein Warp je Gruppe
    const int i0 = blockIdx.y * TM;
    const int j0 = blockIdx.x * TN;

    float summe[PRO_THREAD] = {0.0f};

    for (int k0 = 0; k0 < A.spalten; k0 += TK) {
        for (int e = tid; e < TM * TK; e += THREADS)
            a[e] = paarZeilen(A, i0 + e / TK, k0 + e % TK);
        for (int e = tid; e < TK * TN; e += THREADS)
            b[e] = paarSpalten(B, k0 + e / TN, j0 + e % TN);
        __syncthreads();

        for (int k = 0; k < TK; ++k) {
            const float bv = b[k * TN + spalte];
            for (int q = 0; q < PRO_THREAD; ++q)
                summe[q] += a[(gruppe + q * ZEILEN_GRUPPEN) * TK + k] * bv;
        }
        __syncthreads();
    }

    const int j = j0 + spalte;
    for (int q = 0; q < PRO_THREAD; ++q) {
        const int i = i0 + gruppe + q * ZEILEN_GRUPPEN;
        if (i < C.zeilen && j < C.spalten)
            C.daten[(size_t)i * C.spalten + j] = summe[q];
    }
}

/* Rueckgabe 0 bei Erfolg. C muss schon angelegt sein. */
int reduziert(const Matrix &A, const Matrix &B, Matrix &C)
{
    if (A.zeilen % 2 != 0 || B.spalten % 2 != 0) {
        fprintf(stderr, "Zeilen von A und Spalten von B muessen gerade sein\n");
        return 1;
    }
    if (A.spalten != B.zeilen || C.zeilen != A.zeilen / 2 || C.spalten != B.spalten / 2) {
        fprintf(stderr, "Formate passen nicht zusammen\n");
        return 2;
    }
    if (C.zeilen == 0 || C.spalten == 0) return 0;

    dim3 gitter((C.spalten + TN - 1) / TN, (C.zeilen + TM - 1) / TM);
    reduziertesProdukt<<<gitter, THREADS>>>(A, B, C);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
