// Suma de cuadrados (norma al cuadrado) con memoria compartida dinamica
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

__global__ void sumaCuadrados(const float *v, float *salida, int n)
{
    extern __shared__ float datos[];
    int hilo = threadIdx.x;
    int pos = blockIdx.x * blockDim.x * 2 + threadIdx.x;

    float s = 0.0f;
    if (pos < n)
        s += v[pos] * v[pos];
    if (pos + blockDim.x < n)
        s += v[pos + blockDim.x] * v[pos + blockDim.x];
    datos[hilo] = s;
    __syncthreads();

    for (int paso = blockDim.x / 2; paso >= 0; paso >>= 1) {
        if (hilo < paso)
            datos[hilo] += datos[hilo + paso];
        __syncthreads();
    }

    if (hilo == 0)
        atomicAdd(salida, datos[0]);
}

int main()
{
    const int n = 30011;
    const int hilos = 512;
    const int bloques = (n + 2 * hilos - 1) / (2 * hilos);

    float *h = (float *)malloc(n * sizeof(float));
    double esperado = 0.0;
    for (int i = 0; i < n; ++i) {
        h[i] = (float)(i % 3 - 1);
        esperado += (double)h[i] * h[i];
    }

    float *d, *d_res, res = 0.0f;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&d_res, sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_res, &res, sizeof(float), cudaMemcpyHostToDevice);

    sumaCuadrados<<<bloques, hilos, hilos * sizeof(float)>>>(d, d_res, n);
    cudaMemcpy(&res, d_res, sizeof(float), cudaMemcpyDeviceToHost);
    printf("max error: %g\n", fabs(res - esperado));

    cudaFree(d);
    cudaFree(d_res);
    free(h);
    return 0;
}
