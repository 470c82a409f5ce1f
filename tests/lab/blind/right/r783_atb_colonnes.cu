// TP 4 : produit C = A^T * B en double precision,
// stockage par colonnes (comme en Fortran)
//    A : k x m,  B : k x n,  C : m x n     (dimensions <= 40000)
#include <cuda_runtime.h>

static const int T   = 32;   // cote de la tuile
static const int LIG = 8;    // nombre de lignes de threads

__global__ void produitTransp(int m, int n, int k,
                              const double *A, const double *B, double *C)
{
    __shared__ double tA[T][T + 1];   // tA[i][kk]
    __shared__ double tB[T][T + 1];   // tB[j][kk]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.x * T;
    const int j0 = blockIdx.y * T;

    double acc[T / LIG];
    for (int q = 0; q < T / LIG; ++q) acc[q] = 0.0;

    for (int k0 = 0; k0 < k; k0 += T) {
        int kk = k0 + tx;
        for (int r = ty; r < T; r += LIG) {
            // les lectures sont contigues le long des colonnes
            tA[r][tx] = (kk < k && i0 + r < m) ? A[kk + (size_t)(i0 + r) * k] : 0.0;
            tB[r][tx] = (kk < k && j0 + r < n) ? B[kk + (size_t)(j0 + r) * k] : 0.0;
        }
        __syncthreads();

        for (int l = 0; l < T; ++l) {
            double a = tA[tx][l];
            #pragma unroll
            for (int q = 0; q < T / LIG; ++q)
                acc[q] += a * tB[ty + q * LIG][l];
        }
        __syncthreads();
    }

    int i = i0 + tx;
    if (i < m) {
        for (int q = 0; q < T / LIG; ++q) {
            int j = j0 + ty + q * LIG;
            if (j < n)
                C[i + (size_t)j * m] = acc[q];
        }
    }
}

// pointeurs sur le device
cudaError_t atb(int m, int n, int k, const double *dA, const double *dB, double *dC)
{
    if (m <= 0 || n <= 0) return cudaSuccess;
    dim3 blocs((m + T - 1) / T, (n + T - 1) / T);
    dim3 threads(T, LIG);
    produitTransp<<<blocs, threads>>>(m, n, k, dA, dB, dC);
    return cudaGetLastError();
}
