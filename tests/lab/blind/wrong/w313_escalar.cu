// Práctica 4: producto escalar por bloques
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define HILOS 128

#define ERR(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void escalar(const float *x, const float *y, float *resultado, int n)
{
    __shared__ float parcial[HILOS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        parcial[threadIdx.x] = x[i] * y[i];
    else
        parcial[threadIdx.x] = 0.0f;
    __syncthreads();

    for (int mitad = HILOS / 2; mitad > 0; mitad /= 2) {
        if (threadIdx.x < mitad)
            parcial[threadIdx.x] += parcial[threadIdx.x + mitad];
        __syncthreads();
    }

    // el primer hilo acumula en el resultado global
    if (threadIdx.x == 0)
        *resultado += parcial[0];
}

int main()
{
    const int n = 50000;
    float *x = (float *)malloc(n * sizeof(float));
    float *y = (float *)malloc(n * sizeof(float));
    double cpu = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 4) * 0.5f;
        y[i] = (float)(i % 3) * 0.25f;
        cpu += x[i] * y[i];
    }

    float *dx, *dy, *dr, r = 0.0f;
    ERR(cudaMalloc(&dx, n * sizeof(float)));
    ERR(cudaMalloc(&dy, n * sizeof(float)));
    ERR(cudaMalloc(&dr, sizeof(float)));
    ERR(cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(dr, &r, sizeof(float), cudaMemcpyHostToDevice));

    escalar<<<(n + HILOS - 1) / HILOS, HILOS>>>(dx, dy, dr, n);
    ERR(cudaGetLastError());
    ERR(cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost));

    printf("gpu = %f, cpu = %f\n", r, cpu);
    printf("%s\n", fabs(r - cpu) < 1e-3 * cpu ? "correcto" : "incorrecto");
    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    free(x); free(y);
    return 0;
}
