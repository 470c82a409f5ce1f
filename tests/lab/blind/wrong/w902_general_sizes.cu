#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define T 16
// double matrix product, general sizes: elements outside count as zero

__global__ void dgemm(int M, int N, int K, const double *A, const double *B, double *C)
{
    __shared__ double as[T][T + 1], bs[T][T + 1];
    int y = threadIdx.y, x = threadIdx.x;
    int r = blockIdx.y * T + y;
    int c = blockIdx.x * T + x;
    int phases = (K - 1) / T;
    double sum = 0.0;

    for (int p = 0; p < phases; p++) {
        int ca = p * T + x;
        int rb = p * T + y;
        if (r < M && ca < K) as[y][x] = A[r * K + ca];
        else                 as[y][x] = 0.0;
        if (rb < K && c < N) bs[y][x] = B[rb * N + c];
        else                 bs[y][x] = 0.0;
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    if (r < M && c < N)
        C[r * N + c] = sum;
}

int main(int argc, char **argv)
{
    int M = 50, N = 34, K = 61;
    if (argc == 4) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }
    double *A, *B, *C;
    cudaMallocManaged(&A, sizeof(double) * M * K);
    cudaMallocManaged(&B, sizeof(double) * K * N);
    cudaMallocManaged(&C, sizeof(double) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = i % 10;
    for (int i = 0; i < K * N; i++) B[i] = i % 7 - 3;

    dim3 b(T, T), g((N + T - 1) / T, (M + T - 1) / T);
    dgemm<<<g, b>>>(M, N, K, A, B, C);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("CUDA error\n"); return 1; }

    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            double d = s > C[i * N + j] ? s - C[i * N + j] : C[i * N + j] - s;
            if (d > worst) worst = d;
        }
    printf("largest difference %g\n", worst);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return worst > 1e-9;
}
