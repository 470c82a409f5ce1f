// Practica: C = A^T * B en doble precision
// A tiene k filas y m columnas, B tiene k filas y n columnas, C es m x n
#include <cstdio>
#include <cmath>
#include <vector>
using namespace std;

const int LADO = 16;

__global__ void producto_at_b(const double *A, const double *B, double *C,
                              int m, int n, int k)
{
    __shared__ double sa[LADO][LADO];   // sa[p][i]
    __shared__ double sb[LADO][LADO];   // sb[p][j]

    int i0 = blockIdx.y * LADO;
    int j0 = blockIdx.x * LADO;
    int x = threadIdx.x, y = threadIdx.y;

    double suma = 0.0;
    for (int p0 = 0; p0 < k; p0 += LADO) {
        int p = p0 + y;
        if (p < k && i0 + x < m)
            sa[y][x] = A[(size_t)p * m + i0 + x];
        else
            sa[y][x] = 0.0;
        if (p < k && j0 + x < n)
            sb[y][x] = B[(size_t)p * n + j0 + x];
        else
            sb[y][x] = 0.0;
        __syncthreads();

        int tope = min(LADO, k - p0);
        for (int q = 0; q < tope; q++)
            suma += sa[q][y] * sb[q][x];
        __syncthreads();
    }

    int i = i0 + y, j = j0 + x;
    if (i < m && j < n)
        C[(size_t)i * n + j] = suma;
}

int main()
{
    int m = 50, n = 83, k = 41;
    vector<double> a(k * m), b(k * n), c(m * n, -7.0);
    for (int i = 0; i < k * m; i++) a[i] = sin(0.1 * i);
    for (int i = 0; i < k * n; i++) b[i] = cos(0.3 * i);

    double *da, *db, *dc;
    cudaMalloc(&da, sizeof(double) * k * m);
    cudaMalloc(&db, sizeof(double) * k * n);
    cudaMalloc(&dc, sizeof(double) * m * n);
    cudaMemcpy(da, a.data(), sizeof(double) * k * m, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), sizeof(double) * k * n, cudaMemcpyHostToDevice);

    dim3 bloque(LADO, LADO);
    dim3 malla((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    producto_at_b<<<malla, bloque>>>(da, db, dc, m, n, k);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    cudaMemcpy(c.data(), dc, sizeof(double) * m * n, cudaMemcpyDeviceToHost);

    bool bien = (e == cudaSuccess);
    double peor = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double ref = 0;
            for (int p = 0; p < k; p++) ref += a[p * m + i] * b[p * n + j];
            double dif = fabs(ref - c[i * n + j]);
            if (!(dif <= 1e-10)) bien = false;
            if (dif > peor) peor = dif;
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    printf("A^T*B, diferencia maxima %.2e, resultado %s\n", peor, bien ? "OK" : "FAILED");
    return bien ? 0 : 1;
}
