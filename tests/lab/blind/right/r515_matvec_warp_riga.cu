// Esercitazione 4: y = A x, un warp per ogni riga della matrice
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define WARP 32
#define RIGHE_PER_BLOCCO 4      // 4 warp = 128 thread

__inline__ __device__ float sommaWarp(float v)
{
    for (int passo = WARP / 2; passo > 0; passo >>= 1)
        v += __shfl_down_sync(0xffffffff, v, passo);
    return v;                    // valido solo nella lane 0
}

__global__ void matVec(const float* __restrict__ A, const float* __restrict__ x,
                       float* __restrict__ y, int righe, int colonne)
{
    int lane = threadIdx.x % WARP;
    int warp = threadIdx.x / WARP;
    int r = blockIdx.x * RIGHE_PER_BLOCCO + warp;
    if (r >= righe) return;      // esce tutto il warp, nessuna barriera dopo

    const float* riga = A + (size_t)r * colonne;
    float parziale = 0.0f;
    for (int c = lane; c < colonne; c += WARP)
        parziale += riga[c] * x[c];

    parziale = sommaWarp(parziale);
    if (lane == 0)
        y[r] = parziale;
}

int main(int argc, char** argv)
{
    const int righe   = argc > 1 ? std::atoi(argv[1]) : 1003;
    const int colonne = argc > 2 ? std::atoi(argv[2]) : 517;
    if (righe <= 0 || colonne <= 0) {
        std::fprintf(stderr, "uso: %s righe colonne\n", argv[0]);
        return EXIT_FAILURE;
    }

    std::vector<float> A((size_t)righe * colonne), x(colonne), y(righe);
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.01f * (i % 101);
    for (int c = 0; c < colonne; ++c)     x[c] = (c & 1) ? -0.5f : 1.0f;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);

    const int blocchi = (righe + RIGHE_PER_BLOCCO - 1) / RIGHE_PER_BLOCCO;
    matVec<<<blocchi, RIGHE_PER_BLOCCO * WARP>>>(dA, dx, dy, righe, colonne);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int errori = 0;
    for (int r = 0; r < righe; ++r) {
        double atteso = 0.0, scala = 1.0;
        for (int c = 0; c < colonne; ++c) {
            double p = (double)A[(size_t)r * colonne + c] * x[c];
            atteso += p;
            scala += std::fabs(p);
        }
        if (std::fabs(atteso - y[r]) > 1e-5 * scala) ++errori;
    }
    std::printf("%d righe sbagliate su %d\n", errori, righe);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return errori ? EXIT_FAILURE : EXIT_SUCCESS;
}
