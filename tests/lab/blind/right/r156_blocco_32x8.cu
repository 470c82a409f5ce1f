// Esercitazione 6 - prodotto di matrici, blocchi 32x8, ogni thread calcola 4 righe
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int DIM  = 32;            // lato del tassello
const int RIGHE = 8;            // righe di thread per blocco
const int PER_THREAD = DIM / RIGHE;

__global__ void prodotto(const int *a, const int *b, int *c, int m, int k, int n)
{
    __shared__ int sa[DIM][DIM + 1];
    __shared__ int sb[DIM][DIM + 1];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int col = blockIdx.x * DIM + x;
    int riga0 = blockIdx.y * DIM;

    int somma[PER_THREAD];
    for (int i = 0; i < PER_THREAD; i++) somma[i] = 0;

    int numTasselli = (k + DIM - 1) / DIM;
    for (int t = 0; t < numTasselli; t++) {
        // quattro passate per riempire 32 righe con 8 righe di thread
        for (int i = 0; i < DIM; i += RIGHE) {
            int r  = riga0 + y + i;
            int ka = t * DIM + x;
            int kb = t * DIM + y + i;
            sa[y + i][x] = (r < m && ka < k) ? a[r * k + ka] : 0;
            sb[y + i][x] = (kb < k && col < n) ? b[kb * n + col] : 0;
        }
        __syncthreads();

        for (int q = 0; q < DIM; q++) {
            int valB = sb[q][x];
            for (int i = 0; i < PER_THREAD; i++)
                somma[i] += sa[y + i * RIGHE][q] * valB;
        }
        __syncthreads();
    }

    if (col < n) {
        for (int i = 0; i < PER_THREAD; i++) {
            int r = riga0 + y + i * RIGHE;
            if (r < m) c[r * n + col] = somma[i];
        }
    }
}

int main()
{
    int m = 100, k = 67, n = 130;
    int *a = new int[m * k], *b = new int[k * n], *c = new int[m * n];
    for (int i = 0; i < m * k; i++) a[i] = rand() % 21 - 10;
    for (int i = 0; i < k * n; i++) b[i] = rand() % 21 - 10;

    int *da, *db, *dc;
    cudaMalloc(&da, m * k * sizeof(int));
    cudaMalloc(&db, k * n * sizeof(int));
    cudaMalloc(&dc, m * n * sizeof(int));
    cudaMemcpy(da, a, m * k * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, k * n * sizeof(int), cudaMemcpyHostToDevice);

    dim3 thr(DIM, RIGHE);
    dim3 blk((n + DIM - 1) / DIM, (m + DIM - 1) / DIM);
    prodotto<<<blk, thr>>>(da, db, dc, m, k, n);
    cudaMemcpy(c, dc, m * n * sizeof(int), cudaMemcpyDeviceToHost);

    bool giusto = true;
    for (int i = 0; i < m && giusto; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int q = 0; q < k; q++) s += a[i * k + q] * b[q * n + j];
            if (s != c[i * n + j]) { giusto = false; printf("errore in (%d,%d)\n", i, j); break; }
        }
    puts(giusto ? "tutto giusto" : "sbagliato");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    delete[] a; delete[] b; delete[] c;
    return giusto ? 0 : 1;
}
