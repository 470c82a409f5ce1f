// Redukovaný součin matic
//   C[i][j] = suma pres l (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A: m x k, B: k x n, C: (m/2) x (n/2).   m a n jsou sudé, k libovolné.
#include <iostream>
#include <cstdlib>
#include <cuda_runtime.h>
using namespace std;

#define D 16

__global__ void redukovany(const int *A, const int *B, int *C, int m, int k, int n)
{
    __shared__ int sa[D][D + 1];
    __shared__ int sb[D][D + 1];

    const int r = blockIdx.y * D + threadIdx.y;   // radek C
    const int s = blockIdx.x * D + threadIdx.x;   // sloupec C
    const int m2 = m / 2, n2 = n / 2;
    int vysledek = 0;

    int dlazdic = (k + D - 1) / D;
    for (int d = 0; d < dlazdic; d++)
    {
        int la = d * D + threadIdx.x;
        int lb = d * D + threadIdx.y;

        // scitame uz pri nacitani, ve sdilene pameti je jen polovina dat
        if (r < m2 && la < k)
            sa[threadIdx.y][threadIdx.x] = A[2 * r * k + la] + A[(2 * r + 1) * k + la];
        else
            sa[threadIdx.y][threadIdx.x] = 0;

        if (s < n2 && lb < k)
            sb[threadIdx.y][threadIdx.x] = B[lb * n + 2 * s] + B[lb * n + 2 * s + 1];
        else
            sb[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();

        for (int l = 0; l < D; l++)
            vysledek += sa[threadIdx.y][l] * sb[l][threadIdx.x];

        __syncthreads();
    }

    if (r < m2 && s < n2)
        C[r * n2 + s] = vysledek;
}

int main()
{
    const int m = 90, k = 37, n = 70;
    int *A, *B, *C;
    cudaMallocManaged(&A, m * k * sizeof(int));
    cudaMallocManaged(&B, k * n * sizeof(int));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(int));
    for (int i = 0; i < m * k; i++) A[i] = rand() % 11 - 5;
    for (int i = 0; i < k * n; i++) B[i] = rand() % 11 - 5;

    dim3 blok(D, D);
    dim3 mrizka((n / 2 + D - 1) / D, (m / 2 + D - 1) / D);
    redukovany<<<mrizka, blok>>>(A, B, C, m, k, n);
    cudaDeviceSynchronize();

    bool ok = true;
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++)
        {
            int ref = 0;
            for (int l = 0; l < k; l++)
                ref += (A[2 * i * k + l] + A[(2 * i + 1) * k + l]) * (B[l * n + 2 * j] + B[l * n + 2 * j + 1]);
            if (ref != C[i * (n / 2) + j]) ok = false;
        }
    cout << (ok ? "v poradku" : "CHYBA") << endl;
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
