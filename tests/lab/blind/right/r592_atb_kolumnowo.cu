// Zadanie 4: C = A^T * B, podwojna precyzja, zapis kolumnowy (jak w BLAS).
//
//   A ma k wierszy i m kolumn, element A(l,i) = A[l + i*lda], lda >= k
//   B ma k wierszy i n kolumn, element B(l,j) = B[l + j*ldb], ldb >= k
//   C ma m wierszy i n kolumn, element C(i,j) = C[i + j*ldc], ldc >= m
//
// Rozmiary dowolne. Wywolanie:
//   dim3 blok(ROZ, ROZ);
//   dim3 siatka((m + ROZ - 1) / ROZ, (n + ROZ - 1) / ROZ);
#include <cuda_runtime.h>

static constexpr int ROZ = 16;

__global__ void dgemm_tn(int m, int n, int k,
                         const double *A, int lda,
                         const double *B, int ldb,
                         double *C, int ldc)
{
    // +1, zeby nie bylo konfliktow bankow przy czytaniu po kolumnie
    __shared__ double kafA[ROZ][ROZ + 1];
    __shared__ double kafB[ROZ][ROZ + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.x * ROZ;    // poczatek wierszy C
    const int j0 = blockIdx.y * ROZ;    // poczatek kolumn C

    double suma = 0.0;

    for (int l0 = 0; l0 < k; l0 += ROZ) {
        const int l = l0 + tx;          // sasiednie watki czytaja sasiednie l

        if (l < k && i0 + ty < m)
            kafA[ty][tx] = A[l + (size_t)(i0 + ty) * lda];
        else
            kafA[ty][tx] = 0.0;

        if (l < k && j0 + ty < n)
            kafB[ty][tx] = B[l + (size_t)(j0 + ty) * ldb];
        else
            kafB[ty][tx] = 0.0;

        __syncthreads();

        // kafA[i][l], kafB[j][l]
        for (int p = 0; p < ROZ; p++)
            suma += kafA[tx][p] * kafB[ty][p];

        __syncthreads();
    }

    // watek (tx, ty) liczy wiersz i0+tx, kolumne j0+ty
    if (i0 + tx < m && j0 + ty < n)
        C[(i0 + tx) + (size_t)(j0 + ty) * ldc] = suma;
}
