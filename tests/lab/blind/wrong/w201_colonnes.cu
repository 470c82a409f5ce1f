#include <cstdio>
#include <cuda_runtime.h>

// rangement par colonnes (comme en Fortran)
__global__ void mmFortran(int M, int N, int K, const double *A, const double *B, double *C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;   // ligne
    int j = blockIdx.y * blockDim.y + threadIdx.y;   // colonne
    if (i >= M || j >= N) return;

    double s = 0.0;
#pragma unroll 4
    for (int k = 0; k < K; ++k)
        s += A[i + k * M] * B[k + j * N];
    C[i + j * M] = s;
}

int main()
{
    const int M = 25, N = 32, K = 40;
    double *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(double));
    cudaMallocManaged(&B, K * N * sizeof(double));
    cudaMallocManaged(&C, M * N * sizeof(double));
    for (int k = 0; k < K; ++k)
        for (int i = 0; i < M; ++i) A[i + k * M] = i + 0.5 * k;
    for (int x = 0; x < K * N; ++x) B[x] = x % 17;

    dim3 bloc(64, 2);
    dim3 grille((M + 63) / 64, (N + 1) / 2);
    mmFortran<<<grille, bloc>>>(M, N, K, A, B, C);
    cudaDeviceSynchronize();
    printf("%g %g\n", C[0], C[M * N - 1]);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
