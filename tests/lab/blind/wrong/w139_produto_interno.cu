// Produto interno de dois vetores de inteiros, resultado em 64 bits.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TPB 128

__global__ void produtoInterno(const int *u, const int *v, unsigned long long *total, int n)
{
    __shared__ unsigned long long soma[TPB];
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int passo = blockDim.x * gridDim.x;

    int parcial = 0;
    for (int i = id; i < n; i += passo)
        parcial += u[i] * v[i];

    soma[threadIdx.x] = parcial;
    __syncthreads();
    for (int s = TPB / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            soma[threadIdx.x] += soma[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(total, soma[0]);
}

int main()
{
    const int n = 1000000;
    std::vector<int> u(n), v(n);
    unsigned long long esperado = 0;
    for (int i = 0; i < n; i++) {
        u[i] = rand() % 20000;
        v[i] = rand() % 20000;
        esperado += (unsigned long long)u[i] * v[i];
    }

    int *du, *dv;
    unsigned long long *dt, t = 0;
    cudaMalloc(&du, n * sizeof(int));
    cudaMalloc(&dv, n * sizeof(int));
    cudaMalloc(&dt, sizeof(t));
    cudaMemcpy(du, u.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, &t, sizeof(t), cudaMemcpyHostToDevice);

    produtoInterno<<<32, TPB>>>(du, dv, dt, n);
    cudaMemcpy(&t, dt, sizeof(t), cudaMemcpyDeviceToHost);

    std::printf("GPU: %llu  CPU: %llu\n", t, esperado);
    cudaFree(du);
    cudaFree(dv);
    cudaFree(dt);
    return t != esperado;
}
