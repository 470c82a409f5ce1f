// Produit de matrices C = A * B, version tuilée en mémoire partagée.
// A : M x K, B : K x N, C : M x N, toutes rangées par lignes (row-major).
// Dimensions quelconques de 1 à 30000 chacune.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define VERIF(appel)                                                        \
    do {                                                                    \
        cudaError_t err_ = (appel);                                         \
        if (err_ != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,              \
                    cudaGetErrorString(err_));                              \
            exit(EXIT_FAILURE);                                             \
        }                                                                   \
    } while (0)

template <typename T, int TUILE>
__global__ void __launch_bounds__(TUILE * TUILE)
produit(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C,
        int M, int N, int K)
{
    __shared__ T sA[TUILE][TUILE];
    __shared__ T sB[TUILE][TUILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int lig = blockIdx.y * TUILE + ty;
    const int col = blockIdx.x * TUILE + tx;

    T somme{};
    for (int k0 = 0; k0 < K; k0 += TUILE) {
        // chaque thread charge un élément de A et un élément de B (zéro hors bord)
        sA[ty][tx] = (lig < M && k0 + tx < K) ? A[lig * K + k0 + tx] : T{};
        sB[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : T{};
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TUILE; ++k)
            somme += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }

    if (lig < M && col < N)
        C[lig * N + col] = somme;
}

template <typename T>
std::vector<T> multiplie(const std::vector<T>& hA, const std::vector<T>& hB,
                         int M, int N, int K)
{
    constexpr int TUILE = 16;
    std::vector<T> hC(static_cast<size_t>(M) * N);
    T *dA, *dB, *dC;
    VERIF(cudaMalloc(&dA, hA.size() * sizeof(T)));
    VERIF(cudaMalloc(&dB, hB.size() * sizeof(T)));
    VERIF(cudaMalloc(&dC, hC.size() * sizeof(T)));
    VERIF(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(T), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(T), cudaMemcpyHostToDevice));

    const dim3 bloc(TUILE, TUILE);
    const dim3 grille((N + TUILE - 1) / TUILE, (M + TUILE - 1) / TUILE);
    produit<T, TUILE><<<grille, bloc>>>(dA, dB, dC, M, N, K);
    VERIF(cudaGetLastError());

    VERIF(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(T), cudaMemcpyDeviceToHost));
    VERIF(cudaFree(dA));
    VERIF(cudaFree(dB));
    VERIF(cudaFree(dC));
    return hC;
}

int main()
{
    const int M = 37, N = 53, K = 41;
    std::vector<float> A(M * K), B(K * N);
    for (int i = 0; i < M * K; ++i) A[i] = float(i % 7) - 3.f;
    for (int i = 0; i < K * N; ++i) B[i] = float(i % 5) - 2.f;

    const auto C = multiplie(A, B, M, N, K);

    int erreurs = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float ref = 0.f;
            for (int k = 0; k < K; ++k) ref += A[i * K + k] * B[k * N + j];
            if (ref != C[i * N + j]) ++erreurs;   // petits entiers : égalité exacte
        }
    printf("erreurs : %d\n", erreurs);
    return erreurs != 0;
}
