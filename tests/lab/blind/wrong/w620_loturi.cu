// Produs de matrice pe loturi: C[l] = A[l] * B[l], l = 0..loturi-1
// A[l]: m x k, B[l]: k x n, C[l]: m x n, toate lipite una de alta în memorie
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define LAT 8

__global__ void produsLot(const double *A, const double *B, double *C, int m, int n, int k)
{
    __shared__ double a[LAT][LAT], b[LAT][LAT];
    const size_t lot = blockIdx.z;
    A += lot * m * k;
    B += lot * m * k;
    C += lot * m * n;

    int lin = blockIdx.y * LAT + threadIdx.y;
    int col = blockIdx.x * LAT + threadIdx.x;
    double rez = 0;
    for (int p = 0; p < k; p += LAT) {
        a[threadIdx.y][threadIdx.x] = 0;
        b[threadIdx.y][threadIdx.x] = 0;
        if (lin < m && p + threadIdx.x < k)
            a[threadIdx.y][threadIdx.x] = A[(size_t)lin * k + p + threadIdx.x];
        if (p + threadIdx.y < k && col < n)
            b[threadIdx.y][threadIdx.x] = B[(size_t)(p + threadIdx.y) * n + col];
        __syncthreads();
        for (int q = 0; q < LAT; q++)
            rez += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }
    if (lin < m && col < n)
        C[(size_t)lin * n + col] = rez;
}

int main()
{
    int loturi = 6, m = 24, n = 56, k = 40;
    double *A, *B, *C;
    if (cudaMallocManaged(&A, sizeof(double) * loturi * m * k) != cudaSuccess ||
        cudaMallocManaged(&B, sizeof(double) * loturi * k * n) != cudaSuccess ||
        cudaMallocManaged(&C, sizeof(double) * loturi * m * n) != cudaSuccess) {
        printf("memorie insuficienta\n");
        return 1;
    }
    for (int i = 0; i < loturi * m * k; i++) A[i] = (i % 19) * 0.5;
    for (int i = 0; i < loturi * k * n; i++) B[i] = (i % 23) - 11.0;

    dim3 fire(LAT, LAT);
    dim3 blocuri((n + LAT - 1) / LAT, (m + LAT - 1) / LAT, loturi);
    produsLot<<<blocuri, fire>>>(A, B, C, m, n, k);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("eroare: %s\n", cudaGetErrorString(e));
        return 1;
    }

    double suma = 0;
    for (int i = 0; i < loturi * m * n; i++) suma += C[i];
    printf("suma tuturor elementelor: %.3f\n", suma);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
