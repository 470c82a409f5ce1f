// Producto de matrices con bloques persistentes: cada bloque recorre varias teselas de C.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include <cmath>

const int ALTO = 8;     // filas de la tesela
const int ANCHO = 32;   // columnas de la tesela
const int FONDO = 32;

__global__ void producto(const float *a, const float *b, float *c,
                         int filas, int columnas, int comun)
{
    __shared__ float ta[ALTO][FONDO];
    __shared__ float tb[FONDO][ANCHO];
    int x = threadIdx.x, y = threadIdx.y;
    int tescol = (columnas + ANCHO - 1) / ANCHO;
    int tesfil = (filas + ALTO - 1) / ALTO;

    for (int tes = blockIdx.x; tes < tescol * tesfil; tes += gridDim.x) {
        int fila = (tes / tescol) * ALTO + y;
        int col = (tes % tescol) * ANCHO + x;
        float suma = 0.0f;
        for (int p = 0; p < comun; p += FONDO) {
            ta[y][x] = (fila < filas && p + x < comun) ? a[fila * comun + p + x] : 0.0f;
            for (int f = y; f < FONDO; f += ALTO)
                tb[f][x] = (p + f < comun && col < columnas) ? b[(p + f) * columnas + col] : 0.0f;
            __syncthreads();
            for (int q = 0; q < FONDO; q++)
                suma += ta[y][q] * tb[q][x];
            __syncthreads();
        }
        if (fila < filas && col < columnas)
            c[fila * columnas + col] = suma;
    }
}

int main()
{
    const int M = 45, N = 83, K = 70;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; i++) a[i] = (i * 7 % 11) - 5;
    for (int i = 0; i < K * N; i++) b[i] = (i * 5 % 13) - 6;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    producto<<<5, dim3(ANCHO, ALTO)>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int malos = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * N + j];
            if (std::fabs(s - c[i * N + j]) > 1e-3f) malos++;
        }
    printf(malos ? "mal: %d\n" : "bien\n", malos);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return malos != 0;
}
