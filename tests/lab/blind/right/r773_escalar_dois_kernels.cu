// Produto escalar em duas etapas: somas por bloco e depois um segundo kernel
// com um so bloco que junta tudo. Memoria partilhada dinamica.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECAR(c) { cudaError_t e = (c); if (e != cudaSuccess) { \
    printf("erro %s na linha %d: FAILED\n", cudaGetErrorString(e), __LINE__); exit(1); } }

// soma em arvore que funciona com qualquer numero de threads, nao so potencias de 2
__device__ void somaArvore(float *v, int t, int total)
{
    while (total > 1) {
        int metade = (total + 1) / 2;
        if (t + metade < total)
            v[t] += v[t + metade];
        __syncthreads();
        total = metade;
    }
}

__global__ void etapa1(const float *x, const float *y, float *porBloco, int n)
{
    extern __shared__ float mem[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mem[threadIdx.x] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();
    somaArvore(mem, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) porBloco[blockIdx.x] = mem[0];
}

__global__ void etapa2(const float *porBloco, int quantos, float *saida)
{
    extern __shared__ float mem[];
    float s = 0.0f;
    for (int i = threadIdx.x; i < quantos; i += blockDim.x)
        s += porBloco[i];
    mem[threadIdx.x] = s;
    __syncthreads();
    somaArvore(mem, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) *saida = mem[0];
}

int main()
{
    const int n = 77777;
    const int T = 200;              // de proposito: nao e potencia de dois
    const int blocos = (n + T - 1) / T;

    float *x = new float[n], *y = new float[n];
    double correto = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = (float)(i % 17) / 17.0f;
        y[i] = (float)(i % 5) - 1.0f;
        correto += (double)x[i] * y[i];
    }

    float *dx, *dy, *dp, *ds;
    CHECAR(cudaMalloc(&dx, n * sizeof(float)));
    CHECAR(cudaMalloc(&dy, n * sizeof(float)));
    CHECAR(cudaMalloc(&dp, blocos * sizeof(float)));
    CHECAR(cudaMalloc(&ds, sizeof(float)));
    CHECAR(cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECAR(cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice));

    etapa1<<<blocos, T, T * sizeof(float)>>>(dx, dy, dp, n);
    CHECAR(cudaGetLastError());
    etapa2<<<1, T, T * sizeof(float)>>>(dp, blocos, ds);
    CHECAR(cudaGetLastError());

    float resultado = 0;
    CHECAR(cudaMemcpy(&resultado, ds, sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(dx); cudaFree(dy); cudaFree(dp); cudaFree(ds);
    delete[] x;
    delete[] y;

    bool ok = fabs(resultado - correto) <= 1e-4 * fabs(correto);
    printf("gpu %.4f cpu %.4f %s\n", resultado, correto, ok ? "OK" : "FAILED");
    return ok ? 0 : 1;
}
