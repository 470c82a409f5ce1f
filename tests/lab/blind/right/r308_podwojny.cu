// Zadanie 8: mnożenie macierzy z podwójnym buforowaniem kafelków
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define KAF 16

#define SPR(w) do { cudaError_t bl_ = (w); if (bl_ != cudaSuccess) { \
    printf("Blad CUDA (%d): %s\n", __LINE__, cudaGetErrorString(bl_)); exit(1); } } while (0)

// wczytuje jeden element kafelka, poza macierzą daje zero
__device__ __forceinline__ double wczytaj(const double *m, int w, int k, int wiersze, int kolumny)
{
    return (w < wiersze && k < kolumny) ? m[w * kolumny + k] : 0.0;
}

__global__ void iloczyn(const double *A, const double *B, double *C, int m, int k, int n)
{
    __shared__ double ka[2][KAF][KAF];
    __shared__ double kb[2][KAF][KAF];

    int tx = threadIdx.x, ty = threadIdx.y;
    int w = blockIdx.y * KAF + ty;
    int c = blockIdx.x * KAF + tx;
    int ile = (k + KAF - 1) / KAF;
    double s = 0.0;

    // pierwszy kafelek
    ka[0][ty][tx] = wczytaj(A, w, tx, m, k);
    kb[0][ty][tx] = wczytaj(B, ty, c, k, n);
    __syncthreads();

    for (int f = 0; f < ile; ++f) {
        int teraz = f & 1;
        int potem = teraz ^ 1;

        if (f + 1 < ile) {
            ka[potem][ty][tx] = wczytaj(A, w, (f + 1) * KAF + tx, m, k);
            kb[potem][ty][tx] = wczytaj(B, (f + 1) * KAF + ty, c, k, n);
        }
        for (int q = 0; q < KAF; ++q)
            s += ka[teraz][ty][q] * kb[teraz][q][tx];
        __syncthreads();
    }

    if (w < m && c < n)
        C[w * n + c] = s;
}

int main()
{
    int m = 123, k = 210, n = 99;
    size_t ba = sizeof(double) * m * k, bb = sizeof(double) * k * n, bc = sizeof(double) * m * n;
    double *a = (double *)malloc(ba), *b = (double *)malloc(bb), *c = (double *)malloc(bc);
    for (int i = 0; i < m * k; i++) a[i] = rand() / (double)RAND_MAX;
    for (int i = 0; i < k * n; i++) b[i] = rand() / (double)RAND_MAX;

    double *da, *db, *dc;
    SPR(cudaMalloc((void **)&da, ba));
    SPR(cudaMalloc((void **)&db, bb));
    SPR(cudaMalloc((void **)&dc, bc));
    SPR(cudaMemcpy(da, a, ba, cudaMemcpyHostToDevice));
    SPR(cudaMemcpy(db, b, bb, cudaMemcpyHostToDevice));

    dim3 watki(KAF, KAF), bloki((n + KAF - 1) / KAF, (m + KAF - 1) / KAF);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    iloczyn<<<bloki, watki>>>(da, db, dc, m, k, n);
    cudaEventRecord(stop);
    SPR(cudaEventSynchronize(stop));
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    SPR(cudaMemcpy(c, dc, bc, cudaMemcpyDeviceToHost));

    double maxb = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int q = 0; q < k; q++) s += a[i * k + q] * b[q * n + j];
            maxb = fmax(maxb, fabs(s - c[i * n + j]));
        }
    printf("czas %.3f ms, maks. blad %g %s\n", ms, maxb, maxb < 1e-9 ? "DOBRZE" : "ZLE");

    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return 0;
}
