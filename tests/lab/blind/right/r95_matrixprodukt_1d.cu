// Übung 3 - Matrixprodukt mit eindimensionalem Gitter
// Jeder Thread berechnet genau ein Element von C. Matrizen quadratisch, n beliebig.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define THREADS_PRO_BLOCK 256

#define PRUEFE(x) do { cudaError_t f = (x); if (f != cudaSuccess) { \
    fprintf(stderr, "Fehler: %s\n", cudaGetErrorString(f)); exit(1); } } while (0)

__global__ void matrixProdukt(const double *a, const double *b, double *c, int n)
{
    int nr = blockIdx.x * blockDim.x + threadIdx.x;
    if (nr >= n * n) return;          // überzählige Threads

    int zeile  = nr / n;
    int spalte = nr % n;

    double summe = 0.0;
    for (int i = 0; i <= n - 1; i++)
        summe += a[zeile * n + i] * b[i * n + spalte];
    c[nr] = summe;
}

int main(void)
{
    const int n = 77;
    const size_t bytes = n * n * sizeof(double);

    double *a = (double *)malloc(bytes), *b = (double *)malloc(bytes), *c = (double *)malloc(bytes);
    for (int i = 0; i < n * n; i++) { a[i] = (i * 7) % 13 - 6; b[i] = (i * 5) % 11 - 5; }

    double *d_a, *d_b, *d_c;
    PRUEFE(cudaMalloc(&d_a, bytes));
    PRUEFE(cudaMalloc(&d_b, bytes));
    PRUEFE(cudaMalloc(&d_c, bytes));
    PRUEFE(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));

    int bloecke = (n * n + THREADS_PRO_BLOCK - 1) / THREADS_PRO_BLOCK;
    matrixProdukt<<<bloecke, THREADS_PRO_BLOCK>>>(d_a, d_b, d_c, n);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));

    for (int z = 0; z < n; z++)
        for (int s = 0; s < n; s++) {
            double soll = 0;
            for (int i = 0; i < n; i++) soll += a[z * n + i] * b[i * n + s];
            if (fabs(soll - c[z * n + s]) > 1e-9) {
                printf("falsch bei (%d,%d): %f statt %f\n", z, s, c[z * n + s], soll);
                return 1;
            }
        }
    printf("alles richtig\n");
    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
    free(a); free(b); free(c);
    return 0;
}
