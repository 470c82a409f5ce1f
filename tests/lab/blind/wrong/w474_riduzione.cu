// Prodotto ridotto di matrici intere (righe e colonne pari, dimensione interna qualsiasi):
//   R[i][j] = somma su k di (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// blocco 16x16, griglia (ceil(colonne/2 / 16), ceil(righe/2 / 16))
#define L 16

__global__ void prodotto_ridotto(const int *A, const int *B, int *R,
                                 int righe, int interna, int colonne)
{
    __shared__ int pa[L][L];
    __shared__ int pb[L][L];

    int mr = righe / 2;
    int mc = colonne / 2;
    int i = blockIdx.y * L + threadIdx.y;
    int j = blockIdx.x * L + threadIdx.x;
    int r = 0;

    for (int t = 0; t < interna / L; t++) {
        int ka = t * L + threadIdx.x;
        int kb = t * L + threadIdx.y;

        pa[threadIdx.y][threadIdx.x] = 0;
        if (i < mr && ka < interna)
            pa[threadIdx.y][threadIdx.x] = A[2 * i * interna + ka]
                                         + A[(2 * i + 1) * interna + ka];
        pb[threadIdx.y][threadIdx.x] = 0;
        if (j < mc && kb < interna)
            pb[threadIdx.y][threadIdx.x] = B[kb * colonne + 2 * j]
                                         + B[kb * colonne + 2 * j + 1];
        __syncthreads();

        for (int k = 0; k < L; k++)
            r += pa[threadIdx.y][k] * pb[k][threadIdx.x];
        __syncthreads();
    }

    if (i < mr && j < mc)
        R[i * mc + j] = r;
}
