// Practica 3: producte reduit de matrius
// A es m x k, B es k x n (m i n parells). R es (m/2) x (n/2) i
// R[i][j] = suma dels quatre elements d'A*B a les files 2i, 2i+1 i
// les columnes 2j, 2j+1.  Nomes k multiplicacions per element.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void producteReduit(const int *A, const int *B, int *R,
                               int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int mig_m = m / 2;
    int mig_n = n / 2;

    if (i >= mig_m || j >= mig_n)
        return;

    int suma = 0;
    for (int p = 0; p < k; p++) {
        int a = A[i * k + p] + A[(i + mig_m) * k + p];
        int b = B[p * n + 2 * j] + B[p * n + 2 * j + 1];
        suma += a * b;
    }
    R[i * mig_n + j] = suma;
}

static void referencia(const std::vector<int> &A, const std::vector<int> &B,
                       std::vector<int> &R, int m, int n, int k)
{
    std::vector<int> P(m * n, 0);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < k; p++)
                P[i * n + j] += A[i * k + p] * B[p * n + j];
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++)
            R[i * (n / 2) + j] = P[2 * i * n + 2 * j] + P[2 * i * n + 2 * j + 1]
                               + P[(2 * i + 1) * n + 2 * j] + P[(2 * i + 1) * n + 2 * j + 1];
}

int main()
{
    const int m = 120, n = 86, k = 77;
    const int nr = (m / 2) * (n / 2);
    std::vector<int> A(m * k), B(k * n), R(nr), esperat(nr);
    for (auto &v : A) v = rand() % 20 - 10;
    for (auto &v : B) v = rand() % 20 - 10;
    referencia(A, B, esperat, m, n, k);

    int *dA, *dB, *dR;
    cudaMalloc(&dA, A.size() * sizeof(int));
    cudaMalloc(&dB, B.size() * sizeof(int));
    cudaMalloc(&dR, R.size() * sizeof(int));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice);

    dim3 bloc(16, 16);
    dim3 graella((n / 2 + 15) / 16, (m / 2 + 15) / 16);
    producteReduit<<<graella, bloc>>>(dA, dB, dR, m, n, k);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("error al nucli\n");
        return 1;
    }
    cudaMemcpy(R.data(), dR, R.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int dolents = 0;
    for (int q = 0; q < nr; q++)
        if (R[q] != esperat[q]) dolents++;
    printf("%d de %d elements dolents\n", dolents, nr);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return dolents ? 1 : 0;
}
