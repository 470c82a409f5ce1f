// Projet M2 : produit matriciel avec découpage de la dimension K (split-K).
// Chaque tranche de K est traitée par un bloc (blockIdx.z) qui ajoute sa contribution
// par atomicAdd. Dimensions quelconques. Affiche le temps et vérifie sur l'hôte.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

static constexpr int COTE = 16;
static constexpr int TRANCHE = 256;   // multiple de COTE

__global__ void produitSplitK(const float* __restrict__ A, const float* __restrict__ B,
                              float* C, int M, int N, int K)
{
    __shared__ float ta[COTE][COTE], tb[COTE][COTE];
    const int lig = blockIdx.y * COTE + threadIdx.y;
    const int col = blockIdx.x * COTE + threadIdx.x;
    const int debut = blockIdx.z * TRANCHE;
    const int fin = min(debut + TRANCHE, K);

    float s = 0.f;
    for (int k = debut; k < fin; k += COTE) {
        const int ka = k + threadIdx.x, kb = k + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = (lig < M && ka < fin) ? A[lig * K + ka] : 0.f;
        tb[threadIdx.y][threadIdx.x] = (kb < fin && col < N) ? B[kb * N + col] : 0.f;
        __syncthreads();
        for (int t = 0; t < COTE; ++t)
            s += ta[threadIdx.y][t] * tb[t][threadIdx.x];
        __syncthreads();
    }
    if (lig < M && col < N)
        atomicAdd(&C[lig * N + col], s);
}

int main()
{
    const int M = 70, N = 50, K = 3000;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = float(i % 5) * 0.1f;
    for (int i = 0; i < K * N; ++i) B[i] = float(i % 8) * 0.1f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, C.size() * sizeof(float));

    const dim3 fils(COTE, COTE);
    const dim3 grille((N + COTE - 1) / COTE, (M + COTE - 1) / COTE, (K + TRANCHE - 1) / TRANCHE);

    // lancement à blanc pour chauffer le GPU
    produitSplitK<<<grille, fils>>>(dA, dB, dC, M, N, K);
    cudaDeviceSynchronize();

    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    cudaEventRecord(e0);
    produitSplitK<<<grille, fils>>>(dA, dB, dC, M, N, K);
    cudaEventRecord(e1);
    cudaEventSynchronize(e1);
    float ms = 0.f;
    cudaEventElapsedTime(&ms, e0, e1);

    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float ecart = 0.f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += double(A[i * K + k]) * B[k * N + j];
            ecart = fmaxf(ecart, fabsf(float(s) - C[i * N + j]));
        }
    printf("temps : %.3f ms, ecart max : %g\n", ms, ecart);

    cudaEventDestroy(e0);
    cudaEventDestroy(e1);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
