// Practica 3: producto de matrices con baldosas en memoria compartida
// C (m x n) = A (m x k) * B (k x n), por filas, tamanos cualesquiera
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define LADO 16

// devuelve el elemento (f, c) o cero si cae fuera de la matriz
__device__ float leer(const float *mat, int f, int c, int filas, int cols)
{
    return (f < filas && c < cols) ? mat[f * cols + c] : 0.0f;
}

__global__ void producto(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float a[LADO][LADO];
    __shared__ float b[LADO][LADO];

    const int fx = threadIdx.x, fy = threadIdx.y;
    const int fila = blockIdx.y * LADO + fy;
    const int col = blockIdx.x * LADO + fx;

    float suma = 0.0f;
    for (int base = 0; base < k; base += LADO) {
        a[fy][fx] = leer(A, fila, base + fx, m, k);
        b[fy][fx] = leer(B, base + fy, col, k, n);
        __syncthreads();

        for (int p = 0; p < LADO; p++)
            suma += a[fy][p] * b[p][fx];
        __syncthreads();
    }

    if (fila < m && col < n)
        C[fila * n + col] = suma;
}

int main()
{
    const int m = 75, n = 130, k = 53;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (auto &v : A) v = (rand() % 200 - 100) / 50.0f;
    for (auto &v : B) v = (rand() % 200 - 100) / 50.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(LADO, LADO);
    dim3 malla((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    producto<<<malla, hilos>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int fallos = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int p = 0; p < k; p++) s += (double)A[i * k + p] * B[p * n + j];
            if (fabs(s - C[i * n + j]) > 1e-3) fallos++;
        }
    printf(fallos ? "MAL: %d fallos\n" : "BIEN (%d fallos)\n", fallos);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return fallos != 0;
}
