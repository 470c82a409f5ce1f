// TP5 : produit de matrices par lots (batched)
//
// Pour chaque lot b :  C_b = A_b * B_b
//   A_b : m x k, rangée par lignes, les lots espacés de pasA éléments (pasA >= m*k)
//   B_b : k x n, idem avec pasB (pasB >= k*n, ou pasB == 0 : même B pour tous les lots)
//   C_b : m x n, idem avec pasC (pasC >= m*n)
//
// Lancement :
//   dim3 fils(T, T);
//   dim3 blocs((n + T - 1) / T, (m + T - 1) / T, nombre_de_lots);   // lots <= 65535
//   produit_lots<<<blocs, fils>>>(A, pasA, B, pasB, C, pasC, m, n, k);

#define T 8

__global__ void produit_lots(const double *A, long long pasA,
                             const double *B, long long pasB,
                             double *C, long long pasC,
                             int m, int n, int k)
{
    __shared__ double a[T * T], b[T * T];

    // on se place au début de notre lot
    A += blockIdx.z * pasA;
    B += blockIdx.z * pasB;
    C += blockIdx.z * pasC;

    int ligne = blockIdx.y * T + threadIdx.y;
    int col   = blockIdx.x * T + threadIdx.x;
    int ici   = threadIdx.y * T + threadIdx.x;

    // les fils en trop relisent la dernière ligne / colonne : résultat jamais écrit
    int lsur = min(ligne, m - 1);
    int csur = min(col, n - 1);

    double somme = 0.0;
    for (int p = 0; p < k; p += T)
    {
        int reste = min(T, k - p);
        if (threadIdx.x < reste) a[ici] = A[(long long)lsur * k + p + threadIdx.x];
        if (threadIdx.y < reste) b[ici] = B[(long long)(p + threadIdx.y) * n + csur];
        __syncthreads();

        for (int q = 0; q < reste; q++)
            somme += a[threadIdx.y * T + q] * b[q * T + threadIdx.x];
        __syncthreads();
    }

    if (ligne < m && col < n)
        C[(long long)ligne * n + col] = somme;
}
