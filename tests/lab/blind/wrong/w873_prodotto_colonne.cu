// Esercizio 3 - prodotto di matrici memorizzate per colonne (come in Fortran)
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define IDX(r, c, ld) ((r) + (size_t)(c) * (ld))
#define LATO 16

__global__ void prodotto(int M, int N, int K, const float* A, const float* B, float* C)
{
    // x scorre le righe: cosi' gli accessi ad A e C sono contigui
    int r = blockIdx.x * LATO + threadIdx.x;
    int c = blockIdx.y * LATO + threadIdx.y;
    if (r < M && c < N) {
        float s = 0.f;
        for (int k = 0; k < K; ++k)
            s += A[IDX(r, k, M)] * B[IDX(k, c, K)];
        C[IDX(r, c, M)] = s;
    }
}

int main()
{
    const int M = 300, N = 100, K = 64;
    std::vector<float> A(M * K), B(K * N), C(M * N, 0.f);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)(i % 7) - 3.f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = (float)(i % 11) * 0.25f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blocco(LATO, LATO);
    dim3 griglia((N + LATO - 1) / LATO, (M + LATO - 1) / LATO);
    prodotto<<<griglia, blocco>>>(M, N, K, dA, dB, dC);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int errori = 0;
    for (int c = 0; c < N; ++c)
        for (int r = 0; r < M; ++r) {
            double atteso = 0;
            for (int k = 0; k < K; ++k) atteso += A[IDX(r, k, M)] * B[IDX(k, c, K)];
            if (std::fabs(atteso - C[IDX(r, c, M)]) > 1e-2) ++errori;
        }
    printf("%s (%d elementi diversi)\n", errori ? "ERRORE" : "OK", errori);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return errori ? 1 : 0;
}
