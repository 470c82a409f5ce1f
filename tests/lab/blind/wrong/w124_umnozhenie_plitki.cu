// Лабораторная работа №3. Умножение матриц с разделяемой памятью.
// C[m][n] = A[m][k] * B[k][n], размеры произвольные.
#include <cstdio>
#include <cstdlib>
#include <cmath>

template <int T>
__global__ void umnozhit(const double *A, const double *B, double *C, int m, int k, int n)
{
    __shared__ double a[T][T];
    __shared__ double b[T][T];

    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;

    double s = 0;
    for (int p = 0; p < k; p += T) {
        a[threadIdx.y][threadIdx.x] = 0;
        b[threadIdx.y][threadIdx.x] = 0;
        if (i < m && p + threadIdx.x < k)
            a[threadIdx.y][threadIdx.x] = A[i * k + p + threadIdx.x];
        if (p + threadIdx.y < k && j < n)
            b[threadIdx.y][threadIdx.x] = B[(p + threadIdx.y) * n + j];
        __syncthreads();

        for (int q = 0; q < T; q++)
            s += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }

    if (i < m)
        C[i * n + j] = s;
}

int main()
{
    const int m = 50, k = 33, n = 70;
    double *A, *B, *C;
    cudaMallocManaged(&A, m * k * sizeof(double));
    cudaMallocManaged(&B, k * n * sizeof(double));
    cudaMallocManaged(&C, m * n * sizeof(double));
    for (int i = 0; i < m * k; i++) A[i] = 1 + rand() % 5;
    for (int i = 0; i < k * n; i++) B[i] = 1 + rand() % 5;

    dim3 setka((n + 7) / 8, (m + 7) / 8);
    umnozhit<8><<<setka, dim3(8, 8)>>>(A, B, C, m, k, n);
    cudaDeviceSynchronize();

    int oshibok = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int q = 0; q < k; q++)
                s += A[i * k + q] * B[q * n + j];
            if (std::fabs(s - C[i * n + j]) > 1e-9)
                oshibok++;
        }
    std::printf("Ошибок: %d\n", oshibok);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return oshibok ? 1 : 0;
}
