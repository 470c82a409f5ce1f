#include <cstdio>
#include <cuda_runtime.h>

// producto escalar: suma del bloque en una celda compartida
__global__ void escalarAtomico(const float *u, const float *v, float *salida, int n)
{
    __shared__ float sumaBloque;
    const int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * 2;

    float mia = 0.0f;
    if (i0 < n)     mia += u[i0] * v[i0];
    if (i0 + 1 < n) mia += u[i0 + 1] * v[i0 + 1];
    __syncthreads();

    atomicAdd(&sumaBloque, mia);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(salida, sumaBloque);
}

int main()
{
    int n = 777;
    float *u, *v, *s;
    cudaMallocManaged(&u, n * sizeof(float));
    cudaMallocManaged(&v, n * sizeof(float));
    cudaMallocManaged(&s, sizeof(float));
    for (int i = 0; i < n; i++) { u[i] = 1.5f; v[i] = 2.0f; }
    cudaMemset(s, 0, sizeof(float));
    int hilos = 64;
    int bloques = (n + 2 * hilos - 1) / (2 * hilos);
    escalarAtomico<<<bloques, hilos>>>(u, v, s, n);
    cudaDeviceSynchronize();
    printf("%f\n", *s);
    return 0;
}
