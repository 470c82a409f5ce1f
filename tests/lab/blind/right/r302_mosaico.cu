// Práctica 3 - Multiplicación de matrices por bloques (teselas)
// Grupo 7
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TESELA 16

static void revisar(cudaError_t e, const char *donde) {
  if (e != cudaSuccess) {
    printf("Error en %s: %s\n", donde, cudaGetErrorString(e));
    exit(1);
  }
}

// a: filasA x comun,  b: comun x colsB,  c: filasA x colsB
__global__ void multiplicar(const float *a, const float *b, float *c,
                            int filasA, int comun, int colsB) {
  __shared__ float ta[TESELA][TESELA];
  __shared__ float tb[TESELA][TESELA];

  int fila = blockIdx.y * TESELA + threadIdx.y;
  int col  = blockIdx.x * TESELA + threadIdx.x;
  float suma = 0.f;

  int fases = (comun + TESELA - 1) / TESELA;
  for (int f = 0; f < fases; ++f) {
    int ca = f * TESELA + threadIdx.x;   // columna que leo de a
    int fb = f * TESELA + threadIdx.y;   // fila que leo de b

    if (fila < filasA && ca < comun)
      ta[threadIdx.y][threadIdx.x] = a[fila * comun + ca];
    else
      ta[threadIdx.y][threadIdx.x] = 0.f;

    if (fb < comun && col < colsB)
      tb[threadIdx.y][threadIdx.x] = b[fb * colsB + col];
    else
      tb[threadIdx.y][threadIdx.x] = 0.f;

    __syncthreads();
    for (int k = 0; k < TESELA; ++k)
      suma += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }

  if (fila < filasA && col < colsB)
    c[fila * colsB + col] = suma;
}

int main() {
  const int m = 150, k = 333, n = 97;
  float *a = (float*)malloc(m * k * sizeof(float));
  float *b = (float*)malloc(k * n * sizeof(float));
  float *c = (float*)malloc(m * n * sizeof(float));

  // valores pequeños y enteros para poder comparar exacto
  for (int i = 0; i < m * k; ++i) a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < k * n; ++i) b[i] = (float)(i % 5 - 2);

  float *da, *db, *dc;
  revisar(cudaMalloc((void**)&da, m * k * sizeof(float)), "malloc a");
  revisar(cudaMalloc((void**)&db, k * n * sizeof(float)), "malloc b");
  revisar(cudaMalloc((void**)&dc, m * n * sizeof(float)), "malloc c");
  revisar(cudaMemcpy(da, a, m * k * sizeof(float), cudaMemcpyHostToDevice), "copia a");
  revisar(cudaMemcpy(db, b, k * n * sizeof(float), cudaMemcpyHostToDevice), "copia b");

  dim3 hilos(TESELA, TESELA);
  dim3 bloques((n + TESELA - 1) / TESELA, (m + TESELA - 1) / TESELA);
  multiplicar<<<bloques, hilos>>>(da, db, dc, m, k, n);
  revisar(cudaGetLastError(), "kernel");
  revisar(cudaMemcpy(c, dc, m * n * sizeof(float), cudaMemcpyDeviceToHost), "copia c");

  int errores = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float s = 0.f;
      for (int p = 0; p < k; ++p) s += a[i * k + p] * b[p * n + j];
      if (s != c[i * n + j]) errores++;
    }
  printf("errores: %d\n", errores);

  cudaFree(da); cudaFree(db); cudaFree(dc);
  free(a); free(b); free(c);
  return 0;
}
