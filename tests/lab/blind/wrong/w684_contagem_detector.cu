// Correlacao de contagens de dois detectores: soma_i a[i]*b[i].
// Cada contagem esta' entre 0 e 100000; n vai ate' 100 milhoes.
#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

__global__ void correlacao(const int *a, const int *b, int n, u64 *soma)
{
    __shared__ u64 parcial[256];
    int t = threadIdx.x;

    u64 local = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        local += a[i] * b[i];

    parcial[t] = local;
    __syncthreads();

    for (int passo = 1; passo < 256; passo *= 2) {
        if (t % (2 * passo) == 0)
            parcial[t] += parcial[t + passo];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(soma, parcial[0]);
}

int main(int argc, char **argv)
{
    int n = 65536;
    int maximo = (argc > 1) ? atoi(argv[1]) : 1000;    // maior contagem, <= 100000

    int *a = (int *)malloc(n * sizeof(int));
    int *b = (int *)malloc(n * sizeof(int));
    u64 certo = 0, obtido = 0;
    for (int i = 0; i < n; i++) {
        a[i] = rand() % (maximo + 1);
        b[i] = rand() % (maximo + 1);
        certo += (u64)a[i] * (u64)b[i];
    }

    int *da, *db;
    u64 *ds;
    cudaMalloc((void **)&da, n * sizeof(int));
    cudaMalloc((void **)&db, n * sizeof(int));
    cudaMalloc((void **)&ds, sizeof(u64));
    cudaMemcpy(da, a, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, sizeof(u64));

    correlacao<<<64, 256>>>(da, db, n, ds);
    cudaMemcpy(&obtido, ds, sizeof(u64), cudaMemcpyDeviceToHost);
    printf("GPU %llu   CPU %llu\n", obtido, certo);

    cudaFree(da); cudaFree(db); cudaFree(ds);
    free(a); free(b);
    return 0;
}
