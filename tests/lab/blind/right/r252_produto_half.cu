// Produto interno de vetores half, acumulado em float, em dois kernels.
//
//   const int T = 128, G = 240;               // T: potencia de dois
//   produtoParcial<<<G, T, T * sizeof(float)>>>(x, y, n, parciais);   // parciais[G]
//   somaFinal<<<1, T, T * sizeof(float)>>>(parciais, G, resultado);
//
// x e y alinhados a 4 bytes (como devolve cudaMalloc).
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float reduzBloco(float valor, float* mem)
{
    const unsigned t = threadIdx.x;
    mem[t] = valor;
    __syncthreads();
    for (unsigned passo = blockDim.x >> 1; passo != 0; passo >>= 1) {
        if (t < passo) mem[t] += mem[t + passo];
        __syncthreads();
    }
    return mem[0];
}

__global__ void produtoParcial(const __half* x, const __half* y, size_t n, float* parciais)
{
    extern __shared__ float mem[];
    const __half2* x2 = reinterpret_cast<const __half2*>(x);
    const __half2* y2 = reinterpret_cast<const __half2*>(y);
    const size_t pares = n / 2;
    const size_t inicio = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t salto  = (size_t)gridDim.x * blockDim.x;

    float soma = 0.0f;
    for (size_t i = inicio; i < pares; i += salto) {
        const float2 a = __half22float2(x2[i]);
        const float2 b = __half22float2(y2[i]);
        soma += a.x * b.x + a.y * b.y;
    }
    // o elemento que sobra quando n e impar
    if (inicio == 0 && (n & 1))
        soma += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    const float total = reduzBloco(soma, mem);
    if (threadIdx.x == 0)
        parciais[blockIdx.x] = total;
}

__global__ void somaFinal(const float* parciais, int quantos, float* resultado)
{
    extern __shared__ float mem[];
    float soma = 0.0f;
    for (int i = threadIdx.x; i < quantos; i += blockDim.x)
        soma += parciais[i];
    const float total = reduzBloco(soma, mem);
    if (threadIdx.x == 0)
        *resultado = total;
}
