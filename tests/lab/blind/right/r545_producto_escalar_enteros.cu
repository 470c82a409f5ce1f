// Practica 2: producto escalar de vectores de enteros, dos kernels.
// Se acumula en 64 bits para que no se desborde.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define COMPROBAR(x) { cudaError_t e = (x); if (e != cudaSuccess) { \
    printf("Error CUDA linea %d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } }

typedef long long entero64;

const int HILOS = 128;

// cada bloque deja una suma parcial (2 elementos por hilo)
__global__ void parciales(const int *a, const int *b, entero64 *p, int n)
{
    __shared__ entero64 s[HILOS];
    int t = threadIdx.x;
    int i = blockIdx.x * (2 * HILOS) + t;

    entero64 v = 0;
    if (i < n)         v += (entero64)a[i] * b[i];
    if (i + HILOS < n) v += (entero64)a[i + HILOS] * b[i + HILOS];
    s[t] = v;
    __syncthreads();

    for (int d = HILOS / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        p[blockIdx.x] = s[0];
}

// un solo bloque suma todas las parciales
__global__ void sumaFinal(const entero64 *p, int cuantos, entero64 *res)
{
    __shared__ entero64 s[HILOS];
    int t = threadIdx.x;
    entero64 v = 0;
    for (int i = t; i < cuantos; i += HILOS)
        v += p[i];
    s[t] = v;
    __syncthreads();
    for (int d = HILOS / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        *res = s[0];
}

entero64 productoEscalar(const std::vector<int> &a, const std::vector<int> &b)
{
    int n = (int)a.size();
    int bloques = (n + 2 * HILOS - 1) / (2 * HILOS);
    int *da, *db;
    entero64 *dp, *dr, r = 0;
    COMPROBAR(cudaMalloc(&da, n * sizeof(int)));
    COMPROBAR(cudaMalloc(&db, n * sizeof(int)));
    COMPROBAR(cudaMalloc(&dp, bloques * sizeof(entero64)));
    COMPROBAR(cudaMalloc(&dr, sizeof(entero64)));
    COMPROBAR(cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    parciales<<<bloques, HILOS>>>(da, db, dp, n);
    COMPROBAR(cudaGetLastError());
    sumaFinal<<<1, HILOS>>>(dp, bloques, dr);
    COMPROBAR(cudaGetLastError());

    COMPROBAR(cudaMemcpy(&r, dr, sizeof(entero64), cudaMemcpyDeviceToHost));
    cudaFree(da); cudaFree(db); cudaFree(dp); cudaFree(dr);
    return r;
}

int main()
{
    int pruebas[] = {1, 2, 127, 128, 129, 255, 256, 257, 1000, 65536, 1234567};
    int fallos = 0;
    for (int n : pruebas) {
        std::vector<int> a(n), b(n);
        entero64 ref = 0;
        for (int i = 0; i < n; i++) {
            a[i] = rand() % 200001 - 100000;
            b[i] = rand() % 200001 - 100000;
            ref += (entero64)a[i] * b[i];
        }
        entero64 g = productoEscalar(a, b);
        printf("n=%8d  gpu=%lld  cpu=%lld  %s\n", n, g, ref, g == ref ? "BIEN" : "MAL");
        if (g != ref) fallos++;
    }
    return fallos != 0;
}
