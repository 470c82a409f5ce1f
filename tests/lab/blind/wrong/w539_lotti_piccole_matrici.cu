// Laboratorio 7 - tante matrici piccole: un blocco per ogni prodotto del lotto
// A: M x K, B: K x N, C: M x N  con M, N, K <= 32, tutte le matrici del lotto di seguito
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define MAXD 32
#define RIGHE 8   // blocco 32 x 8

#define CONTROLLA(x) do { cudaError_t e = (x); \
    if (e != cudaSuccess) fprintf(stderr, "riga %d: %s\n", __LINE__, cudaGetErrorString(e)); } while (0)

struct Dim { int m, n, k; };

__global__ void prodottiPiccoli(const float *A, const float *B, float *C, Dim d)
{
    __shared__ float a[MAXD][MAXD];
    __shared__ float b[MAXD][MAXD];

    const int lotto = blockIdx.x;
    const float *Al = A + (size_t)lotto * d.m * d.k;
    const float *Bl = B + (size_t)lotto * d.k * d.n;
    float *Cl = C + (size_t)lotto * d.m * d.n;
    const int x = threadIdx.x;

    for (int y = threadIdx.y; y < MAXD; y += RIGHE) {
        if (y < d.m && x < d.k) a[y][x] = Al[y * d.k + x];
        if (y < d.k && x < d.n) b[y][x] = Bl[y * d.n + x];
    }
    __syncthreads();

    if (x < d.n) {
        for (int y = threadIdx.y; y < d.m; y += RIGHE) {
            float s = 0.f;
            for (int k = 0; k < d.k; ++k)
                s += a[y][k] * b[k][x];
            Cl[y * d.n + x] = s;
        }
    }
}

int main(int argc, char **argv)
{
    int lotti = 1000;
    Dim d = {24, 24, 24};
    if (argc == 5) {
        lotti = atoi(argv[1]);
        d.m = atoi(argv[2]); d.n = atoi(argv[3]); d.k = atoi(argv[4]);
    }
    if (lotti < 1 || d.m < 1 || d.n < 1 || d.k < 1 || d.m > MAXD || d.n > MAXD || d.k > MAXD) {
        printf("dimensioni fra 1 e %d\n", MAXD);
        return 1;
    }

    std::vector<float> A((size_t)lotti * d.m * d.k), B((size_t)lotti * d.k * d.n), C((size_t)lotti * d.m * d.n);
    for (auto &v : A) v = rand() % 9 - 4;
    for (auto &v : B) v = rand() % 9 - 4;

    float *dA, *dB, *dC;
    const size_t byteA = (size_t)lotti * d.m * d.k * sizeof(float);
    const size_t byteB = (size_t)lotti * d.m * d.k * sizeof(float);
    const size_t byteC = (size_t)lotti * d.m * d.n * sizeof(float);
    CONTROLLA(cudaMalloc(&dA, byteA));
    CONTROLLA(cudaMalloc(&dB, byteB));
    CONTROLLA(cudaMalloc(&dC, byteC));
    CONTROLLA(cudaMemcpy(dA, A.data(), byteA, cudaMemcpyHostToDevice));
    CONTROLLA(cudaMemcpy(dB, B.data(), byteB, cudaMemcpyHostToDevice));

    prodottiPiccoli<<<lotti, dim3(MAXD, RIGHE)>>>(dA, dB, dC, d);
    CONTROLLA(cudaDeviceSynchronize());
    CONTROLLA(cudaMemcpy(C.data(), dC, byteC, cudaMemcpyDeviceToHost));

    int sbagliati = 0;
    for (int l = 0; l < lotti; ++l)
        for (int i = 0; i < d.m; ++i)
            for (int j = 0; j < d.n; ++j) {
                float s = 0.f;
                for (int k = 0; k < d.k; ++k)
                    s += A[((size_t)l * d.m + i) * d.k + k] * B[((size_t)l * d.k + k) * d.n + j];
                if (s != C[((size_t)l * d.m + i) * d.n + j]) ++sbagliati;
            }
    printf("elementi sbagliati: %d\n", sbagliati);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return sbagliati != 0;
}
