// Multiplica A (m x k) por B (k x n) y deja el resultado en C (m x n).
// Sirve para matrices de cualquier tamaño.
#include <cuda_runtime.h>

const int L = 16;

__global__ void multiplica(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float losaA[L][L];
    __shared__ float losaB[L][L];
    int f = blockIdx.y * L + threadIdx.y;
    int c = blockIdx.x * L + threadIdx.x;
    float total = 0;

    for (int t = 0; t < k / L; t++) {
        int pa = t * L + threadIdx.x;
        int pb = t * L + threadIdx.y;

        if (f < m && pa < k)
            losaA[threadIdx.y][threadIdx.x] = A[f * k + pa];
        else
            losaA[threadIdx.y][threadIdx.x] = 0;

        if (c < n && pb < k)
            losaB[threadIdx.y][threadIdx.x] = B[pb * n + c];
        else
            losaB[threadIdx.y][threadIdx.x] = 0;
        __syncthreads();

        for (int p = 0; p < L; p++)
            total += losaA[threadIdx.y][p] * losaB[p][threadIdx.x];
        __syncthreads();
    }

    if (f < m && c < n)
        C[f * n + c] = total;
}

void lanza(const float *dA, const float *dB, float *dC, int m, int k, int n)
{
    dim3 hilos(L, L);
    dim3 rejilla((n + L - 1) / L, (m + L - 1) / L);
    multiplica<<<rejilla, hilos>>>(dA, dB, dC, m, k, n);
}
