// TP noté : produit matriciel « réduit »
//   C[i][j] = somme sur k de (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A : M x K, B : K x N, C : M/2 x N/2 (M et N pairs)
#include <cstdio>
#include <cstdlib>
#include <cmath>

__global__ void produitReduit(const double *A, const double *B, double *C,
                              int M, int N, int K)
{
    const int hauteur = M / 2;
    const int largeur = N / 2;
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    const int i = threadIdx.y + blockIdx.y * blockDim.y;

    if (i < hauteur && j < largeur) {
        const double *ligne0 = A + 2 * i * K;
        const double *ligne1 = ligne0 + K;
        double somme = 0.0;
        for (int k = 0; k < K; ++k) {
            const double a = ligne0[k] + ligne1[k];
            const double b = B[k * N + 2 * j] + B[k * N + 2 * j + 1];
            somme += a * b;
        }
        C[i * largeur + j] = somme;
    }
}

int main()
{
    const int M = 130, N = 84, K = 77;
    double *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(double));
    cudaMallocManaged(&B, K * N * sizeof(double));
    cudaMallocManaged(&C, (M / 2) * (N / 2) * sizeof(double));
    for (int i = 0; i < M * K; ++i) A[i] = rand() / (double)RAND_MAX;
    for (int i = 0; i < K * N; ++i) B[i] = rand() / (double)RAND_MAX;

    const dim3 bloc(16, 8);
    const dim3 grille((N / 2 + bloc.x - 1) / bloc.x, (M / 2 + bloc.y - 1) / bloc.y);
    produitReduit<<<grille, bloc>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();

    double ecart = 0.0;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            double r = 0.0;
            for (int k = 0; k < K; ++k)
                r += (A[2 * i * K + k] + A[(2 * i + 1) * K + k])
                   * (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            ecart = fmax(ecart, fabs(r - C[i * (N / 2) + j]));
        }
    printf("écart maximal : %e\n", ecart);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return ecart < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
