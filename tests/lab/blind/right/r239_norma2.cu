#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define TAM 128

// suma de cuadrados: un valor por warp en memoria compartida
__global__ void sumaCuadrados(const double *v, double *acumulador, int n)
{
    __shared__ double s[TAM];
    const int t = threadIdx.x;
    const int i = blockIdx.x * TAM + t;
    const int carril = t % 32;

    s[t] = i < n ? v[i] * v[i] : 0.0;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (carril < d)
            s[t] += s[t + d];
        __syncwarp();
    }
    __syncthreads();

    if (t == 0) {
        double total = 0.0;
        for (int w = 0; w < TAM; w += 32)
            total += s[w];
        atomicAdd(acumulador, total);
    }
}

int main()
{
    const int n = 900;
    double *v, *acc;
    cudaMallocManaged(&v, n * sizeof(double));
    cudaMallocManaged(&acc, sizeof(double));
    for (int i = 0; i < n; i++) v[i] = 2.0;
    *acc = 0.0;
    sumaCuadrados<<<(n + TAM - 1) / TAM, TAM>>>(v, acc, n);
    cudaDeviceSynchronize();
    printf("norma = %f (esperado %f)\n", std::sqrt(*acc), 2.0 * std::sqrt((double)n));
    cudaFree(v);
    cudaFree(acc);
    return 0;
}
