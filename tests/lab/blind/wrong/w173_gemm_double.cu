// gemm for doubles, A (m x k) times B (k x n)
#include <cstdio>
#include <cstdlib>
#include <cmath>

template <int TS>
__global__ void gemm(int m, int n, int k, const double *A, const double *B, double *C)
{
    __shared__ double sA[TS][TS];
    __shared__ double sB[TS][TS];

    int col = blockIdx.x * TS + threadIdx.x;
    int row = blockIdx.y * TS + threadIdx.y;
    double sum = 0.0;

    for (int t = 0; t < (k + TS - 1) / TS; ++t) {
        int kc = t * TS + threadIdx.x;
        int kr = t * TS + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (row < m && kc < k) ? A[row * k + kc] : 0.0;
        sB[threadIdx.y][threadIdx.x] = (kr < k && col < n) ? B[kr * n + col] : 0.0;
        __syncthreads();
        for (int i = 0; i < TS; ++i)
            sum += sA[threadIdx.y][i] * sB[i][threadIdx.x];
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = sum;
}

void launchGemm(int m, int n, int k, const double *A, const double *B, double *C)
{
    const int TS = 16;
    dim3 block(TS, TS);
    dim3 grid((m + TS - 1) / TS, (n + TS - 1) / TS);
    gemm<TS><<<grid, block>>>(m, n, k, A, B, C);
}

int main()
{
    const int m = 128, n = 128, k = 64;
    double *A, *B, *C;
    cudaMallocManaged(&A, sizeof(double) * m * k);
    cudaMallocManaged(&B, sizeof(double) * k * n);
    cudaMallocManaged(&C, sizeof(double) * m * n);
    for (int i = 0; i < m * k; ++i) A[i] = sin(0.1 * i);
    for (int i = 0; i < k * n; ++i) B[i] = cos(0.1 * i);

    launchGemm(m, n, k, A, B, C);
    cudaDeviceSynchronize();

    double worst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int l = 0; l < k; ++l)
                s += A[i * k + l] * B[l * n + j];
            worst = fmax(worst, fabs(s - C[i * n + j]));
        }
    printf("worst error %g\n", worst);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return worst > 1e-9;
}
