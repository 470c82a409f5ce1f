#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// Reduziertes Matrixprodukt: A ist m x k, B ist k x n, m und n gerade.
// Je zwei benachbarte Zeilen von A und je zwei benachbarte Spalten von B
// werden addiert; C hat die Groesse m/2 x n/2.

__device__ inline float zeilenpaar(const float* A, int i, int q, int k)
{
    return A[i * k + q] + A[(i + 1) * k + q];
}

__device__ inline float spaltenpaar(const float* B, int q, int j, int n)
{
    return B[q * n + 2 * j] + B[q * n + 2 * j + 1];
}

__global__ void reduziert(const float* A, const float* B, float* C, int m, int n, int k)
{
    int j = threadIdx.x + blockIdx.x * blockDim.x;
    int i = threadIdx.y + blockIdx.y * blockDim.y;
    if (i >= m / 2 || j >= n / 2)
        return;

    float summe = 0.0f;
    for (int q = 0; q < k; ++q)
        summe += zeilenpaar(A, i, q, k) * spaltenpaar(B, q, j, n);
    C[i * (n / 2) + j] = summe;
}

int main()
{
    const int m = 54, n = 38, k = 29;
    std::vector<float> a(m * k), b(k * n), c(m / 2 * (n / 2));
    for (int i = 0; i < m * k; ++i) a[i] = (float)(i % 23);
    for (int i = 0; i < k * n; ++i) b[i] = (float)(i % 17);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 faeden(8, 8);
    dim3 bloecke((n / 2 + 7) / 8, (m / 2 + 7) / 8);
    reduziert<<<bloecke, faeden>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    printf("erste Zeile:");
    for (int j = 0; j < n / 2; ++j) printf(" %.0f", c[j]);
    printf("\nletzte Zeile:");
    for (int j = 0; j < n / 2; ++j) printf(" %.0f", c[(m / 2 - 1) * (n / 2) + j]);
    printf("\n");

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
