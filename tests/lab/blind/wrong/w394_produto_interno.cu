// produto interno de dois vetores, qualquer n >= 1
// cada bloco soma a sua parte (shuffle nos warps + memória compartilhada)
// e joga o resultado com atomicAdd em double (sm_60 ou mais nova)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int THREADS = 256;

__device__ double somaWarp(double v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xFFFFFFFF, v, d);
    return v;
}

__global__ void produtoInterno(const float *a, const float *b, double *saida, int n) {
    __shared__ double somas[32];

    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    double s = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        s += (double)a[i] * b[i];

    s = somaWarp(s);
    if (lane == 0) somas[warp] = s;
    __syncthreads();

    if (warp == 0) {
        s = somas[lane];
        s = somaWarp(s);
        if (lane == 0) atomicAdd(saida, s);
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float *a = new float[n], *b = new float[n];
    double esperado = 0, obtido = 0;
    for (int i = 0; i < n; i++) {
        a[i] = sinf(i * 0.01f);
        b[i] = cosf(i * 0.02f);
        esperado += (double)a[i] * b[i];
    }

    float *da, *db;
    double *ds;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&ds, sizeof(double));
    cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, sizeof(double));

    int blocos = (n + THREADS - 1) / THREADS;
    if (blocos > 160) blocos = 160;
    produtoInterno<<<blocos, THREADS>>>(da, db, ds, n);
    cudaMemcpy(&obtido, ds, sizeof(double), cudaMemcpyDeviceToHost);

    printf("esperado %.9f obtido %.9f\n", esperado, obtido);
    puts(fabs(esperado - obtido) < 1e-6 * (1 + fabs(esperado)) ? "OK" : "FALHOU");

    cudaFree(da); cudaFree(db); cudaFree(ds);
    delete[] a;
    delete[] b;
    return 0;
}
