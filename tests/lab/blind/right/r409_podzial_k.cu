// Mnożenie macierzy z podziałem wymiaru K (split-K).
// Każda warstwa siatki (blockIdx.z) liczy sumę częściową po swoim odcinku K
// i dodaje ją atomowo do C. Przydatne, gdy M i N są małe, a K duże.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

template <int T>
__global__ void mnozSplitK(const float* __restrict__ A, const float* __restrict__ B,
                           float* C, int M, int N, int K, int odcinek)
{
    __shared__ float kafelA[T][T + 1];
    __shared__ float kafelB[T][T + 1];

    int wiersz  = blockIdx.y * T + threadIdx.y;
    int kolumna = blockIdx.x * T + threadIdx.x;

    int poczatek = blockIdx.z * odcinek;
    int koniec   = poczatek + odcinek;
    if (koniec > K) koniec = K;

    float suma = 0.0f;
    for (int k0 = poczatek; k0 < koniec; k0 += T) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        kafelA[threadIdx.y][threadIdx.x] =
            (wiersz < M && ka < koniec) ? A[(size_t)wiersz * K + ka] : 0.0f;
        kafelB[threadIdx.y][threadIdx.x] =
            (kb < koniec && kolumna < N) ? B[(size_t)kb * N + kolumna] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < T; ++k)
            suma += kafelA[threadIdx.y][k] * kafelB[k][threadIdx.x];

        __syncthreads();
    }

    if (wiersz < M && kolumna < N)
        atomicAdd(&C[(size_t)wiersz * N + kolumna], suma);
}

int main()
{
    const int M = 40, N = 24, K = 1000;
    const int czesci = 7;
    const int odcinek = (K + czesci - 1) / czesci;   // nie musi być wielokrotnością kafla

    size_t bA = sizeof(float) * M * K, bB = sizeof(float) * K * N, bC = sizeof(float) * M * N;
    float *hA = (float*)malloc(bA), *hB = (float*)malloc(bB), *hC = (float*)malloc(bC);
    for (int i = 0; i < M * K; ++i) hA[i] = (i * 7 % 11) / 11.0f - 0.4f;
    for (int i = 0; i < K * N; ++i) hB[i] = (i * 5 % 13) / 13.0f - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bA);
    cudaMalloc(&dB, bB);
    cudaMalloc(&dC, bC);
    cudaMemcpy(dA, hA, bA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bB, cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, bC);                            // atomicAdd wymaga zer na starcie

    constexpr int T = 16;
    dim3 watki(T, T);
    dim3 bloki((N + T - 1) / T, (M + T - 1) / T, czesci);
    mnozSplitK<T><<<bloki, watki>>>(dA, dB, dC, M, N, K, odcinek);
    cudaMemcpy(hC, dC, bC, cudaMemcpyDeviceToHost);

    double blad = 0.0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0.0;
            for (int k = 0; k < K; ++k) s += (double)hA[i * K + k] * hB[k * N + j];
            blad = fmax(blad, fabs(s - hC[i * N + j]));
        }
    printf("maksymalny błąd: %g  %s\n", blad, blad < 1e-3 ? "OK" : "ŹLE");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return blad < 1e-3 ? 0 : 1;
}
