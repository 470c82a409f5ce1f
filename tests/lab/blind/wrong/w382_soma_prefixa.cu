// Soma de prefixos inclusiva de cada linha (Hillis-Steele), uma linha por bloco.
// A largura da linha vai de 1 a 1024; o bloco tem tantas threads quantas colunas.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define VERIFICA(x)                                                     \
    do {                                                                \
        cudaError_t erro = (x);                                         \
        if (erro != cudaSuccess) {                                      \
            fprintf(stderr, "linha %d: %s\n", __LINE__,                 \
                    cudaGetErrorString(erro));                          \
            exit(EXIT_FAILURE);                                         \
        }                                                               \
    } while (0)

__global__ void somaPrefixa(const int *entrada, int *saida, int largura)
{
    extern __shared__ int s[];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * largura;

    s[t] = entrada[base + t];
    __syncthreads();

    for (int passo = 1; passo < largura; passo *= 2) {
        int parcela = 0;
        if (t >= passo)
            parcela = s[t - passo];
        s[t] += parcela;
        __syncthreads();
    }

    saida[base + t] = s[t];
}

int main(int argc, char **argv)
{
    const int linhas = 200;
    const int largura = argc > 1 ? atoi(argv[1]) : 1000;
    if (largura < 1 || largura > 1024) {
        fprintf(stderr, "largura entre 1 e 1024\n");
        return 2;
    }

    const size_t total = (size_t)linhas * largura;
    std::vector<int> h(total), r(total);
    for (size_t i = 0; i < total; ++i)
        h[i] = (int)(i * 31 % 101) - 50;

    int *d_entrada, *d_saida;
    VERIFICA(cudaMalloc(&d_entrada, total * sizeof(int)));
    VERIFICA(cudaMalloc(&d_saida, total * sizeof(int)));
    VERIFICA(cudaMemcpy(d_entrada, h.data(), total * sizeof(int), cudaMemcpyHostToDevice));

    somaPrefixa<<<linhas, largura, largura * sizeof(int)>>>(d_entrada, d_saida, largura);
    VERIFICA(cudaGetLastError());
    VERIFICA(cudaMemcpy(r.data(), d_saida, total * sizeof(int), cudaMemcpyDeviceToHost));

    int erros = 0;
    for (int l = 0; l < linhas; ++l) {
        int acumulado = 0;
        for (int c = 0; c < largura; ++c) {
            acumulado += h[(size_t)l * largura + c];
            if (r[(size_t)l * largura + c] != acumulado)
                ++erros;
        }
    }
    printf("%d erros em %zu valores\n", erros, total);

    VERIFICA(cudaFree(d_entrada));
    VERIFICA(cudaFree(d_saida));
    return erros != 0;
}
