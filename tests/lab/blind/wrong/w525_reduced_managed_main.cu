// Mini-Projekt: reduziertes Produkt mit Unified Memory (keine Kopien mehr nötig)
// C[i][j] = Summe des 2x2-Blocks (2i..2i+1, 2j..2j+1) von A*B
#include <cuda_runtime.h>
#include <cstdlib>
#include <cmath>
#include <iostream>

__global__ void reduziert(const float *A, const float *B, float *C, int m, int n, int k)
{
    // ein Thread pro Element von C, Block 128x1
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    if (j >= n / 2) return;

    float s = 0.0f;
    for (int q = 0; q < k; q++) {
        float a = A[(2 * i) * k + q] + A[(2 * i + 1) * k + q];
        float b = B[q * n + 2 * j] + B[q * n + 2 * j + 1];
        s += a * b;
    }
    C[i * (n / 2) + j] = s;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? std::atoi(argv[1]) : 512;
    int n = argc > 2 ? std::atoi(argv[2]) : 512;
    int k = argc > 3 ? std::atoi(argv[3]) : 300;
    if (m < 2 || n < 2 || k < 1 || m % 2 != 0 || n % 2 != 0 || m / 2 > 65535) {
        std::cerr << "m und n müssen gerade sein" << std::endl;
        return 1;
    }

    float *A, *B, *C;
    cudaMallocManaged(&A, (size_t)m * k * sizeof(float));
    cudaMallocManaged(&B, (size_t)k * n * sizeof(float));
    cudaMallocManaged(&C, (size_t)(m / 2) * (n / 2) * sizeof(float));
    for (int i = 0; i < m * k; i++) A[i] = (float)(std::rand() % 10);
    for (int i = 0; i < k * n; i++) B[i] = (float)(std::rand() % 10);

    dim3 block(128, 1);
    dim3 gitter((n / 2 + 127) / 128, m / 2);
    reduziert<<<gitter, block>>>(A, B, C, m, n, k);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        std::cerr << cudaGetErrorString(err) << std::endl;
        return 1;
    }

    // Ergebnis prüfen
    int fehler = 0;
    for (int i = 0; i < m / 2; i++) {
        for (int j = 0; j < n / 2; j++) {
            double ref = 0.0;
            for (int q = 0; q < k; q++)
                ref += ((double)A[2 * i * k + q] + A[(2 * i + 1) * k + q]) *
                       ((double)B[q * n + 2 * j] + B[q * n + 2 * j + 1]);
            if (std::fabs(ref - C[i * (n / 2) + j]) > 1e-4 * ref + 1e-3)
                fehler++;
        }
    }
    std::cout << "Fehler: " << fehler << std::endl;

    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return fehler == 0 ? 0 : 1;
}
