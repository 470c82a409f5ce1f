// Esercizio 7: prodotto di un lotto di matrici intere
#include <stdio.h>
#include <stdlib.h>

#define LATO 8
#define CONTROLLA(e) controlla((e), __LINE__)

static void controlla(cudaError_t e, int riga)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "riga %d: %s\n", riga, cudaGetErrorString(e));
        exit(2);
    }
}

__global__ void prodottoLotto(const int *A, const int *B, int *C, int m, int k, int n)
{
    __shared__ int a[LATO][LATO];
    __shared__ int b[LATO][LATO];

    // sposto i puntatori sulla matrice giusta del lotto
    A += (size_t)blockIdx.z * m * k;
    B += (size_t)blockIdx.z * k * n;
    C += (size_t)blockIdx.z * m * n;

    int riga = blockIdx.y * LATO + threadIdx.y;
    int col  = blockIdx.x * LATO + threadIdx.x;
    int tot  = 0;

    for (int f = 0; f < (k + LATO - 1) / LATO; f++) {
        int ka = f * LATO + threadIdx.x;
        int kb = f * LATO + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (riga < m && ka < k) ? A[riga * k + ka] : 0;
        b[threadIdx.y][threadIdx.x] = (kb < k && col < n) ? B[kb * n + col] : 0;
        __syncthreads();
        for (int q = 0; q < LATO; q++)
            tot += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }
    if (riga < m && col < n)
        C[riga * n + col] = tot;
}

int main(void)
{
    const int lotto = 12, m = 19, k = 30, n = 27;
    size_t nA = (size_t)lotto * m * k, nB = (size_t)lotto * k * n, nC = (size_t)lotto * m * n;
    int *hA = (int *)malloc(nA * sizeof(int));
    int *hB = (int *)malloc(nB * sizeof(int));
    int *hC = (int *)malloc(nC * sizeof(int));
    for (size_t i = 0; i < nA; i++) hA[i] = rand() % 19 - 9;
    for (size_t i = 0; i < nB; i++) hB[i] = rand() % 19 - 9;

    int *dA, *dB, *dC;
    CONTROLLA(cudaMalloc(&dA, nA * sizeof(int)));
    CONTROLLA(cudaMalloc(&dB, nB * sizeof(int)));
    CONTROLLA(cudaMalloc(&dC, nC * sizeof(int)));
    CONTROLLA(cudaMemcpy(dA, hA, nA * sizeof(int), cudaMemcpyHostToDevice));
    CONTROLLA(cudaMemcpy(dB, hB, nB * sizeof(int), cudaMemcpyHostToDevice));

    dim3 blocco(LATO, LATO, 1);
    dim3 griglia((n + LATO - 1) / LATO, (m + LATO - 1) / LATO, lotto);
    prodottoLotto<<<griglia, blocco>>>(dA, dB, dC, m, k, n);
    CONTROLLA(cudaGetLastError());
    CONTROLLA(cudaMemcpy(hC, dC, nC * sizeof(int), cudaMemcpyDeviceToHost));

    int sbagliati = 0;
    for (int l = 0; l < lotto; l++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                int s = 0;
                for (int q = 0; q < k; q++)
                    s += hA[l * m * k + i * k + q] * hB[l * k * n + q * n + j];
                if (s != hC[l * m * n + i * n + j]) sbagliati++;
            }
    printf("elementi sbagliati: %d\n", sbagliati);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
