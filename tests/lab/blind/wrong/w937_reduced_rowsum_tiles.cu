#include <cuda_runtime.h>

// Produit reduit : A est 2m x k, B est k x 2n, C est m x n et
// C(i,j) = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
#define BLOC_X 32
#define BLOC_Y 16
#define PROF 16

__global__ void produit_reduit(const double *A, const double *B, double *C,
                               int m, int k, int n)
{
    __shared__ double lignes[BLOC_Y][PROF];
    __shared__ double colonnes[PROF][BLOC_X];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * BLOC_Y + ty;
    int j = blockIdx.x * BLOC_X + tx;
    double total = 0.0;

    for (int debut = 0; debut < k; debut += PROF) {
        if (tx < PROF) {
            int q = debut + tx;
            double s = 0.0;
            if (i < m && q < k)
                s = A[(2 * i) * k + q] + A[(2 * i + 1) * k + q];
            lignes[ty][tx] = s;
        }

        int q = debut + ty;
        double s = 0.0;
        if (q < k && j < n) {
            int p = q * n + 2 * j;
            s = B[p] + B[p + 1];
        }
        colonnes[ty][tx] = s;
        __syncthreads();

        for (int d = 0; d < PROF; d++)
            total += lignes[ty][d] * colonnes[d][tx];
        __syncthreads();
    }

    if (i < m && j < n)
        C[i * n + j] = total;
}

void calcul(const double *A, const double *B, double *C, int m, int k, int n)
{
    dim3 blocs((n + BLOC_X - 1) / BLOC_X, (m + BLOC_Y - 1) / BLOC_Y);
    produit_reduit<<<blocs, dim3(BLOC_X, BLOC_Y)>>>(A, B, C, m, k, n);
}
