// Uebung 3 - Matrixmultiplikation mit Kacheln im Shared Memory
// Block hat 32x8 Threads, die Kachel ist 32x32, jeder Thread rechnet 4 Zeilen.
// Groessen beliebig (Rand wird mit Nullen gefuellt).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define KACHEL 32
#define ZEILEN 8

__global__ void matMulKachel(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float sA[KACHEL][KACHEL];
    __shared__ float sB[KACHEL][KACHEL];

    int tx = threadIdx.x, ty = threadIdx.y;
    int spalte = blockIdx.x * KACHEL + tx;
    int zeile0 = blockIdx.y * KACHEL + ty;

    float summe[KACHEL / ZEILEN] = {0.0f, 0.0f, 0.0f, 0.0f};

    int anzahl = (k + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; ++t) {
        // jeder Thread laedt 4 Werte von A und 4 von B
        for (int j = 0; j < KACHEL; j += ZEILEN) {
            int z = zeile0 + j;
            int ka = t * KACHEL + tx;
            int kb = t * KACHEL + ty + j;
            sA[ty + j][tx] = (z < m && ka < k) ? A[z * k + ka] : 0.0f;
            sB[ty + j][tx] = (kb < k && spalte < n) ? B[kb * n + spalte] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < KACHEL; ++q) {
            float b = sB[q][tx];
            for (int j = 0; j < KACHEL / ZEILEN; ++j)
                summe[j] += sA[ty + j * ZEILEN][q] * b;
        }
        __syncthreads();
    }

    for (int j = 0; j < KACHEL / ZEILEN; ++j) {
        int z = zeile0 + j * ZEILEN;
        if (z < m && spalte < n)
            C[z * n + spalte] = summe[j];
    }
}

static bool teste(int m, int n, int k)
{
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (auto &x : A) x = rand() / (float)RAND_MAX - 0.5f;
    for (auto &x : B) x = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(KACHEL, ZEILEN);
    dim3 grid((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matMulKachel<<<grid, block>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < m && ok; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int q = 0; q < k; ++q) s += (double)A[i * k + q] * B[q * n + j];
            if (fabs(s - C[i * n + j]) > 1e-3) { ok = false; break; }
        }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return ok;
}

int main()
{
    int g[][3] = {{64, 64, 64}, {33, 70, 5}, {1, 1, 100}, {130, 31, 65}};
    for (auto &x : g)
        printf("%d x %d x %d: %s\n", x[0], x[1], x[2], teste(x[0], x[1], x[2]) ? "richtig" : "FALSCH");
    return 0;
}
