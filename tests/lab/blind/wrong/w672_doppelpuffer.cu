// Matrixprodukt mit zwei Puffern: während mit einem Puffer gerechnet wird,
// füllt der Block den anderen.  Zeilenweise Ablage, beliebige Größen.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define KACHEL 16

__device__ void lade(float (*ziel)[KACHEL], const float *quelle, int z, int s, int zeilen, int spalten)
{
    ziel[threadIdx.y][threadIdx.x] = (z < zeilen && s < spalten) ? quelle[z * spalten + s] : 0.0f;
}

__global__ void produkt(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float pa[2][KACHEL][KACHEL];
    __shared__ float pb[2][KACHEL][KACHEL];

    int z = blockIdx.y * KACHEL + threadIdx.y;
    int s = blockIdx.x * KACHEL + threadIdx.x;
    int kacheln = (k + KACHEL - 1) / KACHEL;
    int akt = 0;
    float summe = 0.0f;

    lade(pa[0], A, z, threadIdx.x, m, k);
    lade(pb[0], B, threadIdx.y, s, k, n);
    __syncthreads();

    for (int t = 0; t < kacheln; t++) {
        if (t + 1 < kacheln) {
            lade(pa[1 - akt], A, z, (t + 1) * KACHEL + threadIdx.x, m, k);
            lade(pb[1 - akt], B, (t + 1) * KACHEL + threadIdx.y, s, k, n);
            __syncthreads();
        }
        for (int q = 0; q < KACHEL; q++)
            summe += pa[akt][threadIdx.y][q] * pb[akt][q][threadIdx.x];
        akt = 1 - akt;
    }

    if (z < m && s < n) C[z * n + s] = summe;
}

int main()
{
    const int m = 200, n = 180, k = 333;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * k * sizeof(float));
    cudaMallocManaged(&B, k * n * sizeof(float));
    cudaMallocManaged(&C, m * n * sizeof(float));
    for (int i = 0; i < m * k; i++) A[i] = (i % 21) * 0.1f - 1.0f;
    for (int i = 0; i < k * n; i++) B[i] = (i % 16) * 0.1f;

    dim3 faeden(KACHEL, KACHEL);
    dim3 bloecke((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    produkt<<<bloecke, faeden>>>(A, B, C, m, n, k);
    cudaDeviceSynchronize();

    int falsch = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float r = 0.0f;
            for (int l = 0; l < k; l++) r += A[i * k + l] * B[l * n + j];
            if (fabsf(r - C[i * n + j]) > 1e-2f) falsch++;
        }
    printf("%d falsche Elemente\n", falsch);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
