// Máximo de un vector de números reales (positivos o negativos)
#include <cstdio>
#include <cstdlib>

#define HILOS 256
#define BLOQUES 32

__global__ void maximo(const double *v, double *parcial, int n)
{
    __shared__ double s[HILOS];
    int t = threadIdx.x;

    double mejor = 0.0;
    for (int i = blockIdx.x * HILOS + t; i < n; i += HILOS * gridDim.x)
        if (v[i] > mejor)
            mejor = v[i];
    s[t] = mejor;
    __syncthreads();

    for (int d = HILOS / 2; d > 0; d >>= 1) {
        if (t < d && s[t + d] > s[t])
            s[t] = s[t + d];
        __syncthreads();
    }

    if (t == 0)
        parcial[blockIdx.x] = s[0];
}

int main()
{
    const int n = 50000;
    double *v = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        v[i] = (double)(rand() % 20001) / 10.0 - 1000.0;

    double *dv, *dp, p[BLOQUES];
    cudaMalloc(&dv, n * sizeof(double));
    cudaMalloc(&dp, BLOQUES * sizeof(double));
    cudaMemcpy(dv, v, n * sizeof(double), cudaMemcpyHostToDevice);

    maximo<<<BLOQUES, HILOS>>>(dv, dp, n);
    cudaMemcpy(p, dp, BLOQUES * sizeof(double), cudaMemcpyDeviceToHost);

    double gpu = p[0];
    for (int i = 1; i < BLOQUES; i++)
        if (p[i] > gpu) gpu = p[i];

    double cpu = v[0];
    for (int i = 1; i < n; i++)
        if (v[i] > cpu) cpu = v[i];

    printf("maximo GPU = %f, CPU = %f\n", gpu, cpu);
    cudaFree(dv);
    cudaFree(dp);
    free(v);
    return gpu != cpu;
}
