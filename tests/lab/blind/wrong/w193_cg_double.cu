#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;

#define COTE 16

__global__ void produitMatrices(int m, int n, int p, const double *A, const double *B, double *C)
{
    auto bloc = cg::this_thread_block();
    __shared__ double sA[COTE][COTE];
    __shared__ double sB[COTE][COTE];
    int i = blockIdx.y * COTE + threadIdx.y;
    int j = blockIdx.x * COTE + threadIdx.x;

    if (i >= m) return;

    double total = 0.0;
    for (int k0 = 0; k0 < p; k0 += COTE) {
        sA[threadIdx.y][threadIdx.x] = (k0 + threadIdx.x < p) ? A[i * p + k0 + threadIdx.x] : 0.0;
        sB[threadIdx.y][threadIdx.x] =
            (k0 + threadIdx.y < p && j < n) ? B[(k0 + threadIdx.y) * n + j] : 0.0;
        bloc.sync();
        for (int k = 0; k < COTE; ++k)
            total += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        bloc.sync();
    }
    if (j < n)
        C[i * n + j] = total;
}

int main()
{
    int m = 52, n = 64, p = 48;
    double *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(double));
    cudaMallocManaged(&B, p * n * sizeof(double));
    cudaMallocManaged(&C, m * n * sizeof(double));
    for (int i = 0; i < m * p; ++i) A[i] = i;
    for (int i = 0; i < p * n; ++i) B[i] = 1.0 / (i + 1);
    dim3 threads(COTE, COTE);
    dim3 blocs((n + COTE - 1) / COTE, (m + COTE - 1) / COTE);
    produitMatrices<<<blocs, threads>>>(m, n, p, A, B, C);
    cudaDeviceSynchronize();
    printf("%g\n", C[m * n - 1]);
    return 0;
}
