// Prodotto ridotto di matrici: ogni thread calcola RPT righe consecutive di C.
// m e n pari qualsiasi.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BLX 32
#define BLY 4
#define RPT 4

__global__ void prodottoRidotto(const float *A, const float *B, float *C, int m, int k, int n)
{
    int righe = m / 2, colonne = n / 2;
    int j = blockIdx.x * BLX + threadIdx.x;
    int i0 = (blockIdx.y * BLY + threadIdx.y) * RPT;
    if (j >= colonne) return;

    float acc[RPT] = {0.0f};
    for (int p = 0; p < k; ++p) {
        float b = B[p * n + 2 * j] + B[p * n + 2 * j + 1];
        for (int r = 0; r < RPT; ++r) {
            int i = i0 + r;
            if (i < righe)
                acc[r] += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * b;
        }
    }
    for (int r = 0; r < RPT; ++r)
        if (i0 + r < righe)
            C[(i0 + r) * colonne + j] = acc[r];
}

int main()
{
    const int m = 180, k = 64, n = 100;
    const int righe = m / 2, colonne = n / 2;
    std::vector<float> A(m * k), B(k * n), C(righe * colonne, -1.0f);
    for (int t = 0; t < m * k; ++t) A[t] = (float)(t % 6);
    for (int t = 0; t < k * n; ++t) B[t] = (float)(t % 5) - 1.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blocco(BLX, BLY);
    dim3 griglia((colonne + BLX - 1) / BLX, (righe + BLY - 1) / (BLY * RPT));
    prodottoRidotto<<<griglia, blocco>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int errori = 0;
    for (int i = 0; i < righe; ++i)
        for (int j = 0; j < colonne; ++j) {
            float s = 0.0f;
            for (int p = 0; p < k; ++p)
                s += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) *
                     (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            if (s != C[i * colonne + j]) errori++;
        }
    printf("errori: %d\n", errori);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return errori != 0;
}
