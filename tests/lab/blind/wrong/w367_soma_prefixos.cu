// Projeto 2: soma de prefixos inclusiva (inteiros de 32 bits)
// 1 <= n <= 2^20. Três etapas: varredura por bloco, varredura dos totais,
// soma do que veio antes de cada bloco.
#include <cuda_runtime.h>

#define BLOCO 1024

// Varredura inclusiva dentro do bloco (Hillis e Steele).
__device__ int varreduraBloco(int valor, int* mem)
{
    const int id = threadIdx.x;
    mem[id] = valor;
    __syncthreads();
    for (int salto = 1; salto < BLOCO; salto <<= 1) {
        int vizinho = 0;
        if (id >= salto)
            vizinho = mem[id - salto];
        __syncthreads();
        mem[id] += vizinho;
        __syncthreads();
    }
    return mem[id];
}

__global__ void etapaBlocos(const int* entrada, int* saida, int* totais, int n)
{
    __shared__ int mem[BLOCO];
    const int i = blockIdx.x * BLOCO + threadIdx.x;
    const int v = (i < n) ? entrada[i] : 0;
    const int s = varreduraBloco(v, mem);
    if (i < n)
        saida[i] = s;
    if (threadIdx.x == BLOCO - 1)
        totais[blockIdx.x] = s;
}

// Um único bloco; no máximo BLOCO totais.
__global__ void etapaTotais(int* totais, int quantos)
{
    __shared__ int mem[BLOCO];
    const int i = threadIdx.x;
    const int s = varreduraBloco(i < quantos ? totais[i] : 0, mem);
    if (i < quantos)
        totais[i] = s;
}

__global__ void etapaSoma(int* saida, const int* totais, int n)
{
    const int i = blockIdx.x * BLOCO + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        saida[i] += totais[blockIdx.x];
}

bool somaPrefixos(const int* h_entrada, int* h_saida, int n)
{
    if (n < 1 || n > BLOCO * BLOCO)
        return false;

    const int blocos = (n + BLOCO - 1) / BLOCO;
    int *entrada = nullptr, *saida = nullptr, *totais = nullptr;
    bool certo = cudaMalloc(&entrada, n * sizeof(int)) == cudaSuccess
              && cudaMalloc(&saida, n * sizeof(int)) == cudaSuccess
              && cudaMalloc(&totais, blocos * sizeof(int)) == cudaSuccess;
    if (certo) {
        cudaMemcpy(entrada, h_entrada, n * sizeof(int), cudaMemcpyHostToDevice);
        etapaBlocos<<<blocos, BLOCO>>>(entrada, saida, totais, n);
        etapaTotais<<<1, BLOCO>>>(totais, blocos);
        etapaSoma<<<blocos, BLOCO>>>(saida, totais, n);
        certo = cudaMemcpy(h_saida, saida, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    cudaFree(entrada);
    cudaFree(saida);
    cudaFree(totais);
    return certo;
}
