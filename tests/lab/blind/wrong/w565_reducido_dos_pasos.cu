// Entrega 4 - producto reducido en dos pasos
//  1) sumar pares de filas de A y pares de columnas de B
//  2) multiplicar las matrices pequeñas
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define LADO 16

__global__ void sumaFilas(const int *A, int *Ar, int m, int k)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m / 2 && p < k)
        Ar[i * k + p] = A[(2 * i) * k + p] + A[(2 * i + 1) * k + p];
}

__global__ void sumaColumnas(const int *B, int *Br, int k, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y * blockDim.y + threadIdx.y;
    int nr = n / 2;     // columnas de la matriz reducida
    if (p < k && j < nr)
        Br[p * nr + j] = B[p * nr + 2 * j] + B[p * nr + 2 * j + 1];
}

__global__ void producto(const int *A, const int *B, int *C, int m, int k, int n)
{
    __shared__ int a[LADO][LADO], b[LADO][LADO];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * LADO + y;
    int j = blockIdx.x * LADO + x;
    int s = 0;
    for (int t = 0; t < (k + LADO - 1) / LADO; t++) {
        a[y][x] = (i < m && t * LADO + x < k) ? A[i * k + t * LADO + x] : 0;
        b[y][x] = (t * LADO + y < k && j < n) ? B[(t * LADO + y) * n + j] : 0;
        __syncthreads();
        for (int q = 0; q < LADO; q++)
            s += a[y][q] * b[q][x];
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = s;
}

static dim3 malla(int columnas, int filas)
{
    return dim3((columnas + LADO - 1) / LADO, (filas + LADO - 1) / LADO);
}

int main()
{
    const int m = 70, k = 50, n = 90;      // m y n pares
    const int mr = m / 2, nr = n / 2;
    int *A = new int[m * k], *B = new int[k * n], *C = new int[mr * nr];
    for (int i = 0; i < m * k; i++) A[i] = rand() % 10;
    for (int i = 0; i < k * n; i++) B[i] = rand() % 10;

    int *dA, *dB, *dAr, *dBr, *dC;
    cudaMalloc(&dA, m * k * sizeof(int));
    cudaMalloc(&dB, k * n * sizeof(int));
    cudaMalloc(&dAr, mr * k * sizeof(int));
    cudaMalloc(&dBr, k * nr * sizeof(int));
    cudaMalloc(&dC, mr * nr * sizeof(int));
    cudaMemcpy(dA, A, m * k * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(int), cudaMemcpyHostToDevice);

    dim3 bloque(LADO, LADO);
    sumaFilas<<<malla(k, mr), bloque>>>(dA, dAr, m, k);
    sumaColumnas<<<malla(nr, k), bloque>>>(dB, dBr, k, n);
    producto<<<malla(nr, mr), bloque>>>(dAr, dBr, dC, mr, k, nr);
    cudaMemcpy(C, dC, mr * nr * sizeof(int), cudaMemcpyDeviceToHost);

    int errores = 0;
    for (int i = 0; i < mr; i++)
        for (int j = 0; j < nr; j++) {
            int s = 0;
            for (int p = 0; p < k; p++)
                s += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            if (s != C[i * nr + j]) errores++;
        }
    printf("errores: %d\n", errores);
    return 0;
}
