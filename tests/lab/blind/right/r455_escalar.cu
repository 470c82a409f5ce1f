// Produto escalar em duas etapas: somas parciais por bloco, depois um bloco soma tudo
#include <cuda_runtime.h>

const int NT = 128;

__global__ void parciais(const float *u, const float *v, float *p, int n)
{
    __shared__ float mem[NT];
    int t = threadIdx.x;
    float s = 0;
    for (int i = blockIdx.x * NT + t; i < n; i += NT * gridDim.x)
        s += u[i] * v[i];
    mem[t] = s;
    __syncthreads();
    for (int d = NT / 2; d > 0; d /= 2) {
        if (t < d)
            mem[t] += mem[t + d];
        __syncthreads();
    }
    if (t == 0) p[blockIdx.x] = mem[0];
}

__global__ void final_soma(const float *p, int quantos, float *resultado)
{
    __shared__ float mem[NT];
    int t = threadIdx.x;
    mem[t] = 0;
    for (int i = t; i < quantos; i += NT)
        mem[t] += p[i];
    __syncthreads();
    for (int d = NT / 2; d > 0; d /= 2) {
        if (t < d)
            mem[t] += mem[t + d];
        __syncthreads();
    }
    if (t == 0) *resultado = mem[0];
}

float produto_escalar(const float *d_u, const float *d_v, int n)
{
    if (n <= 0) return 0.0f;
    int blocos = (n + NT - 1) / NT;
    if (blocos > 300) blocos = 300;

    float *d_p, *d_r, r;
    cudaMalloc(&d_p, blocos * sizeof(float));
    cudaMalloc(&d_r, sizeof(float));
    parciais<<<blocos, NT>>>(d_u, d_v, d_p, n);
    final_soma<<<1, NT>>>(d_p, blocos, d_r);
    cudaMemcpy(&r, d_r, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_p);
    cudaFree(d_r);
    return r;
}
