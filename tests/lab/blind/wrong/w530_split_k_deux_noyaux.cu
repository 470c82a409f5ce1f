// Projet : produit de matrices "split-K" en deux noyaux
//   1) chaque tranche z de K ecrit son produit partiel dans l'espace de travail
//   2) un second noyau additionne les tranches
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BS = 16;
constexpr int TRANCHES = 8;

__global__ void gemmPartiel(const float* A, const float* B, float* W, int M, int N, int K)
{
    __shared__ float sA[BS][BS];
    __shared__ float sB[BS][BS];

    const int lig = blockIdx.y * BS + threadIdx.y;
    const int col = blockIdx.x * BS + threadIdx.x;

    const int longueur = K / TRANCHES;          // nombre de k par tranche
    const int debut = blockIdx.z * longueur;
    const int fin = min(debut + longueur, K);

    float acc = 0.f;
    for (int k0 = debut; k0 < fin; k0 += BS) {
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (lig < M && ka < fin) ? A[lig * K + ka] : 0.f;
        sB[threadIdx.y][threadIdx.x] = (kb < fin && col < N) ? B[kb * N + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BS; ++k) acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    if (lig < M && col < N)
        W[((size_t)blockIdx.z * M + lig) * N + col] = acc;
}

__global__ void sommeTranches(const float* W, float* C, int taille)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= taille) return;
    float s = 0.f;
#pragma unroll
    for (int z = 0; z < TRANCHES; ++z) s += W[(size_t)z * taille + i];
    C[i] = s;
}

int main(int argc, char** argv)
{
    const int M = argc > 1 ? atoi(argv[1]) : 96;
    const int N = argc > 2 ? atoi(argv[2]) : 80;
    const int K = argc > 3 ? atoi(argv[3]) : 4096;
    if (M <= 0 || N <= 0 || K <= 0) { fprintf(stderr, "tailles positives svp\n"); return 1; }

    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)(i % 7) - 3.f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = (float)(i % 5) - 2.f;

    float *dA, *dB, *dC, *dW;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMalloc(&dW, TRANCHES * C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloc(BS, BS), grille((N + BS - 1) / BS, (M + BS - 1) / BS, TRANCHES);
    gemmPartiel<<<grille, bloc>>>(dA, dB, dW, M, N, K);
    sommeTranches<<<(M * N + 255) / 256, 256>>>(dW, dC, M * N);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int erreurs = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (s - C[i * N + j] > 1e-2f || C[i * N + j] - s > 1e-2f) ++erreurs;
        }
    printf("%d x %d x %d : %d erreurs\n", M, N, K, erreurs);
    cudaFree(dA); cudaFree(dB); cudaFree(dC); cudaFree(dW);
    return erreurs ? 2 : 0;
}
