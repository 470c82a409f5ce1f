/*
 * Multiplicación de matrices por teselas, versión con función auxiliar.
 * Compilar: nvcc -O2 -o producto w423_producto_teselas.cu
 * Uso:      ./producto F P C      (F x P por P x C, enteros positivos hasta 8000)
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define LADO 16

#define COMPROBAR(x) { cudaError_t e = (x); if (e != cudaSuccess) { \
    printf("Error en la linea %d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } }

// copia el elemento (fila, col) de una matriz de nf x nc a la tesela
__device__ void traer(float tesela[LADO][LADO], const float *matriz,
                      int fila, int col, int nf, int nc)
{
    if (fila < nf && col < nc)
        tesela[threadIdx.y][threadIdx.x] = matriz[fila * nc + col];
}

__global__ void multiplicar(const float *a, const float *b, float *c,
                            int F, int P, int C)
{
    __shared__ float ta[LADO][LADO];
    __shared__ float tb[LADO][LADO];

    int fila = blockIdx.y * LADO + threadIdx.y;
    int col  = blockIdx.x * LADO + threadIdx.x;
    float total = 0;

    for (int paso = 0; paso * LADO < P; paso++) {
        traer(ta, a, fila, paso * LADO + threadIdx.x, F, P);
        traer(tb, b, paso * LADO + threadIdx.y, col, P, C);
        __syncthreads();
        for (int q = 0; q < LADO; q++)
            total += ta[threadIdx.y][q] * tb[q][threadIdx.x];
        __syncthreads();
    }

    if (fila < F && col < C)
        c[fila * C + col] = total;
}

int main(int argc, char *argv[])
{
    int F = 256, P = 128, C = 320;
    if (argc == 4) { F = atoi(argv[1]); P = atoi(argv[2]); C = atoi(argv[3]); }
    if (F < 1 || P < 1 || C < 1 || F > 8000 || P > 8000 || C > 8000) {
        printf("medidas incorrectas\n");
        return 1;
    }

    size_t ba = sizeof(float) * F * P, bb = sizeof(float) * P * C, bc = sizeof(float) * F * C;
    float *a = (float*)malloc(ba), *b = (float*)malloc(bb), *c = (float*)malloc(bc);
    for (int i = 0; i < F * P; i++) a[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < P * C; i++) b[i] = rand() / (float)RAND_MAX;

    float *da, *db, *dc;
    COMPROBAR(cudaMalloc(&da, ba));
    COMPROBAR(cudaMalloc(&db, bb));
    COMPROBAR(cudaMalloc(&dc, bc));
    COMPROBAR(cudaMemcpy(da, a, ba, cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy(db, b, bb, cudaMemcpyHostToDevice));

    cudaEvent_t t0, t1;
    cudaEventCreate(&t0);
    cudaEventCreate(&t1);
    dim3 hilos(LADO, LADO);
    dim3 bloques((C + LADO - 1) / LADO, (F + LADO - 1) / LADO);
    cudaEventRecord(t0);
    multiplicar<<<bloques, hilos>>>(da, db, dc, F, P, C);
    cudaEventRecord(t1);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaEventSynchronize(t1));
    float ms;
    cudaEventElapsedTime(&ms, t0, t1);

    COMPROBAR(cudaMemcpy(c, dc, bc, cudaMemcpyDeviceToHost));

    float peor = 0;
    for (int prueba = 0; prueba < 1000; prueba++) {
        int i = rand() % F, j = rand() % C;
        float s = 0;
        for (int q = 0; q < P; q++) s += a[i * P + q] * b[q * C + j];
        peor = fmaxf(peor, fabsf(s - c[i * C + j]) / s);
    }
    printf("%g ms, %g GFLOP/s, peor error relativo %g\n",
           ms, 2e-6 * F * P * C / ms, peor);

    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return 0;
}
