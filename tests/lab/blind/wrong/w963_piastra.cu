#include <cstdio>
#include <cstdlib>
#include <cmath>

#define LATO 32
#define ALT 8

// C (M x N) = A (M x K) * B (K x N); blocco di LATO x ALT thread, 4 righe per thread
__global__ void prodotto(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float pa[LATO][LATO];
    __shared__ float pb[LATO][LATO];
    int tx = threadIdx.x, ty = threadIdx.y;
    int colonna = blockIdx.x * LATO + tx;
    int riga0 = blockIdx.y * LATO;
    float somma[LATO / ALT] = {0.f, 0.f, 0.f, 0.f};

    for (int p = 0; p < K; p += LATO) {
        for (int q = ty; q < LATO; q += ALT) {
            pa[q][tx] = (riga0 + q < M && p + tx < K) ? A[(riga0 + q) * K + p + tx] : 0.f;
            pb[q][tx] = (p + q < K && colonna < N) ? B[(p + q) * N + colonna] : 0.f;
        }
        __syncthreads();
        for (int i = 0; i < LATO / ALT; i++)
            for (int q = 0; q < LATO; q++)
                somma[i] += pa[ty + i * ALT][q] * pb[q][tx];
        __syncthreads();
    }

    for (int i = 0; i < LATO / ALT; i++) {
        int riga = riga0 + ty + i * ALT;
        if (riga < M && colonna < N)
            C[riga * K + colonna] = somma[i];
    }
}

void calcola(const float *A, const float *B, float *C, int M, int K, int N)
{
    dim3 griglia((N + LATO - 1) / LATO, (M + LATO - 1) / LATO);
    prodotto<<<griglia, dim3(LATO, ALT)>>>(A, B, C, M, K, N);
    cudaDeviceSynchronize();
}

int main()
{
    int n = 100, errori = 0;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; i++) { a[i] = rand() % 5; b[i] = rand() % 5 - 2; }
    calcola(a, b, c, n, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int q = 0; q < n; q++) s += a[i * n + q] * b[q * n + j];
            if (fabsf(s - c[i * n + j]) > 1e-2f) errori++;
        }
    printf("errori: %d\n", errori);
    return errori > 0;
}
