// Suma de vectores: z = x + y
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

__global__ void sumaVectores(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

int main()
{
    int n = 100003;
    size_t bytes = n * sizeof(float);

    float *x = (float *)malloc(bytes);
    float *y = (float *)malloc(bytes);
    float *z = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        x[i] = i * 0.5f + 1.0f;
        y[i] = 2.0f * i;
    }

    float *d_x, *d_y, *d_z;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_z, bytes);

    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    int hilos = 256;
    int bloques = n / hilos;
    sumaVectores<<<bloques, hilos>>>(d_x, d_y, d_z, n);
    cudaDeviceSynchronize();

    cudaMemcpy(z, d_z, bytes, cudaMemcpyDeviceToHost);

    float error = 0.0f;
    for (int i = 0; i < n; i++) {
        error = fmaxf(error, fabsf(z[i] - (x[i] + y[i])));
    }
    printf("max error: %g\n", error);

    cudaFree(d_x); cudaFree(d_y); cudaFree(d_z);
    free(x); free(y); free(z);
    return 0;
}
