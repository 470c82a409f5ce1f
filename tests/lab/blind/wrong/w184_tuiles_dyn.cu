// Multiplication par tuiles, memoire partagee dynamique
// appel : <<<grille, dim3(t, t), 2 * t * t * sizeof(float)>>>
__global__ void produit(const float *A, const float *B, float *C, int m, int p, int n)
{
    extern __shared__ float partage[];
    const int t = blockDim.x;
    float *tA = partage, *tB = partage + t * t;

    const int lig = blockIdx.y * t + threadIdx.y;
    const int col = blockIdx.x * t + threadIdx.x;
    const int ici = threadIdx.y * t + threadIdx.x;

    float somme = 0.0f;
    for (int d = 0; d < p; d += t) {
        int kx = d + threadIdx.x;
        int ky = d + threadIdx.y;
        if (lig < m && kx < p)
            tA[ici] = A[lig * n + kx];
        else
            tA[ici] = 0.0f;
        if (ky < p && col < n)
            tB[ici] = B[ky * n + col];
        else
            tB[ici] = 0.0f;
        __syncthreads();

        for (int k = 0; k < t; ++k)
            somme += tA[threadIdx.y * t + k] * tB[k * t + threadIdx.x];
        __syncthreads();
    }
    if (lig < m && col < n) C[lig * n + col] = somme;
}

void lancer(const float *A, const float *B, float *C, int m, int p, int n)
{
    const int t = 16;
    dim3 grille((n + t - 1) / t, (m + t - 1) / t);
    produit<<<grille, dim3(t, t), 2 * t * t * sizeof(float)>>>(A, B, C, m, p, n);
}
