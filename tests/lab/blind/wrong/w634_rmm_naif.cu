// Produit matriciel réduit, version naïve.
// A : m x k, B : k x n (m et n pairs), C : m/2 x n/2, tout en lignes.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void rmm_naif(const float *A, const float *B, float *C, int m, int k, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < m / 2 && j < n / 2) {
        float somme = 0.0f;
        for (int l = 2 * i; l < 2 * i + 2; l++) {
            for (int c = 2 * j; c < 2 * j + 2; c++) {
                for (int p = 0; p < k; p++)
                    somme += A[l * k + p] * B[p * n + c];
            }
        }
        C[i * (m / 2) + j] = somme;
    }
}

static void remplir(float *v, int nb)
{
    for (int i = 0; i < nb; i++)
        v[i] = (float)(rand() % 10);
}

int main(void)
{
    int m = 48, k = 80, n = 112;
    int lc = m / 2, cc = n / 2;

    float *A = (float *)malloc(m * k * sizeof(float));
    float *B = (float *)malloc(k * n * sizeof(float));
    float *C = (float *)malloc(lc * cc * sizeof(float));
    remplir(A, m * k);
    remplir(B, k * n);

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, m * k * sizeof(float));
    cudaMalloc((void **)&dB, k * n * sizeof(float));
    cudaMalloc((void **)&dC, lc * cc * sizeof(float));
    cudaMemcpy(dA, A, m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 fils(16, 16);
    dim3 blocs((cc + 15) / 16, (lc + 15) / 16);
    rmm_naif<<<blocs, fils>>>(dA, dB, dC, m, k, n);
    cudaDeviceSynchronize();
    cudaMemcpy(C, dC, lc * cc * sizeof(float), cudaMemcpyDeviceToHost);

    printf("C (coin) :\n");
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            printf("%8.1f ", C[i * cc + j]);
        printf("\n");
    }

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
