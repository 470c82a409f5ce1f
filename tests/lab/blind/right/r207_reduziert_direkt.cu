#include <cstdio>
#include <cuda_runtime.h>

// Reduzierte Matrixmultiplikation: P = A*B (m x n), C ist (m/2 x n/2)
// C[i][j] = Summe des 2x2-Blocks von P ab (2i, 2j); m und n gerade
__global__ void reduziert(const float *A, const float *B, float *C, int m, int n, int p)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int hoch = m / 2, breit = n / 2;
    if (i >= hoch || j >= breit) return;

    float summe = 0.0f;
    for (int di = 0; di < 2; di++)
        for (int dj = 0; dj < 2; dj++)
            for (int k = 0; k < p; k++)
                summe += A[(2 * i + di) * p + k] * B[k * n + 2 * j + dj];
    C[i * breit + j] = summe;
}

int main()
{
    int m = 34, n = 50, p = 21;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; i++) A[i] = i % 4;
    for (int i = 0; i < p * n; i++) B[i] = i % 3;
    dim3 block(16, 16);
    dim3 gitter((n / 2 + 15) / 16, (m / 2 + 15) / 16);
    reduziert<<<gitter, block>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("C[0][0] = %f\n", C[0]);
    return 0;
}
