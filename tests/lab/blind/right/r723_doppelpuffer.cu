// Quadratische Matrizen C = A*B mit Doppelpuffer im gemeinsamen Speicher.
// n muss ein Vielfaches von KACHEL sein (wird in multipliziere() geprueft).
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define KACHEL 32

__global__ void matmulDoppel(const float* A, const float* B, float* C, int n)
{
    __shared__ float Ka[2][KACHEL][KACHEL];
    __shared__ float Kb[2][KACHEL][KACHEL];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int zeile  = blockIdx.y * KACHEL + y;
    int spalte = blockIdx.x * KACHEL + x;
    int anzahl = n / KACHEL;

    // erste Kachel
    Ka[0][y][x] = A[(size_t)zeile * n + x];
    Kb[0][y][x] = B[(size_t)y * n + spalte];
    __syncthreads();

    int jetzt = 0;
    float summe = 0.0f;
    for (int t = 0; t < anzahl; t++) {
        int andere = 1 - jetzt;
        if (t + 1 < anzahl) {
            int k0 = (t + 1) * KACHEL;
            Ka[andere][y][x] = A[(size_t)zeile * n + k0 + x];
            Kb[andere][y][x] = B[(size_t)(k0 + y) * n + spalte];
        }
        #pragma unroll
        for (int p = 0; p < KACHEL; p++)
            summe += Ka[jetzt][y][p] * Kb[jetzt][p][x];
        // die naechste Kachel ist da, und niemand liest mehr die alte
        __syncthreads();
        jetzt = andere;
    }
    C[(size_t)zeile * n + spalte] = summe;
}

static bool multipliziere(const float* hA, const float* hB, float* hC, int n)
{
    if (n <= 0 || n % KACHEL != 0) {
        fprintf(stderr, "n muss ein Vielfaches von %d sein\n", KACHEL);
        return false;
    }
    size_t bytes = (size_t)n * n * sizeof(float);
    float *dA = nullptr, *dB = nullptr, *dC = nullptr;
    bool gut = cudaMalloc(&dA, bytes) == cudaSuccess
            && cudaMalloc(&dB, bytes) == cudaSuccess
            && cudaMalloc(&dC, bytes) == cudaSuccess;
    if (gut) {
        cudaMemcpy(dA, hA, bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(dB, hB, bytes, cudaMemcpyHostToDevice);
        dim3 block(KACHEL, KACHEL), gitter(n / KACHEL, n / KACHEL);
        matmulDoppel<<<gitter, block>>>(dA, dB, dC, n);
        gut = cudaGetLastError() == cudaSuccess
           && cudaMemcpy(hC, dC, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return gut;
}

int main()
{
    const int n = 160;
    float* A = (float*)malloc(sizeof(float) * n * n);
    float* B = (float*)malloc(sizeof(float) * n * n);
    float* C = (float*)malloc(sizeof(float) * n * n);
    for (int i = 0; i < n * n; i++) {
        A[i] = (float)((i * 7 + 3) % 11) - 5.0f;
        B[i] = (float)((i * 5 + 1) % 13) - 6.0f;
        C[i] = -1.0f;
    }
    bool gut = multipliziere(A, B, C, n);

    int fehler = 0;
    for (int i = 0; i < n && gut; i++)
        for (int j = 0; j < n; j++) {
            float soll = 0;                 // kleine ganze Zahlen: exakt
            for (int p = 0; p < n; p++) soll += A[i * n + p] * B[p * n + j];
            if (!(fabsf(soll - C[i * n + j]) <= 1e-3f)) fehler++;
        }
    gut = gut && fehler == 0;
    printf("Doppelpuffer n=%d, falsche Elemente: %d  %s\n", n, fehler, gut ? "OK" : "FAILED");
    free(A); free(B); free(C);
    return gut ? 0 : 1;
}
