// Práctica 2: producto reducido
//   C[i][j] = suma del cuadrado 2x2 de A*B que empieza en (2i, 2j)
// Se suman primero las filas 2i y 2i+1 de A y las columnas 2j y 2j+1 de B,
// así solo hay que hacer un producto de tamaño (p/2) x q x (r/2).
// p y r son pares; p, q, r <= 8192.
#include <cuda_runtime.h>

#define LADO 32

__global__ void reducido(const float *A, const float *B, float *C, int p, int q, int r)
{
    __shared__ float sumaA[LADO][LADO];
    __shared__ float sumaB[LADO][LADO];

    int filas = p / 2, cols = r / 2;
    int fila = blockIdx.y * LADO + threadIdx.y;
    int col  = blockIdx.x * LADO + threadIdx.x;
    float acc = 0.0f;

    for (int base = 0; base < q; base += LADO) {
        float va = 0.0f, vb = 0.0f;

        int ka = base + threadIdx.x;
        if (fila < filas && ka < q)
            va = A[2 * fila * q + ka] + A[(2 * fila + 1) * q + ka];

        int kb = base + threadIdx.y;
        if (kb < q && col < cols)
            vb = B[kb * r + 2 * col] + B[kb * r + 2 * col + 1];

        sumaA[threadIdx.y][threadIdx.x] = va;
        sumaB[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

        for (int k = 0; k < LADO; k++)
            acc += sumaA[threadIdx.y][k] * sumaB[k][threadIdx.x];

        __syncthreads();   // antes de pisar las teselas
    }

    if (fila < filas && col < cols)
        C[fila * cols + col] = acc;
}

// Matrices en el host; C tiene (p/2)*(r/2) elementos.
void calcular(const float *hA, const float *hB, float *hC, int p, int q, int r)
{
    float *dA, *dB, *dC;
    size_t tamA = (size_t)p * q * sizeof(float);
    size_t tamB = (size_t)q * r * sizeof(float);
    size_t tamC = (size_t)(p / 2) * (r / 2) * sizeof(float);

    cudaMalloc((void **)&dA, tamA);
    cudaMalloc((void **)&dB, tamB);
    cudaMalloc((void **)&dC, tamC);
    cudaMemcpy(dA, hA, tamA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, tamB, cudaMemcpyHostToDevice);

    dim3 hilos(LADO, LADO);
    dim3 bloques((r / 2 + LADO - 1) / LADO, (p / 2 + LADO - 1) / LADO);
    reducido<<<bloques, hilos>>>(dA, dB, dC, p, q, r);

    cudaMemcpy(hC, dC, tamC, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
