// Produto interno de dois vetores de inteiros, resultado em 64 bits.
//
// Os valores podem ser quaisquer int; quem chama garante que a soma cabe em long long.
//
// Como chamar:
//   cudaMemset(d_res, 0, sizeof(long long));
//   produtoInterno<<<NUM_BLOCOS, TAM_BLOCO>>>(d_a, d_b, n, (unsigned long long *)d_res);
// NUM_BLOCOS pode ser qualquer valor >= 1.

#define TAM_BLOCO 192   /* 192 = 3 * 64, nao precisa ser potencia de 2 */

__global__ void produtoInterno(const int *a, const int *b, int n, unsigned long long *res)
{
    __shared__ long long soma[TAM_BLOCO];

    const int t = threadIdx.x;
    long long minha = 0;

    // cada bloco trabalha num pedaco contiguo do vetor
    const int pedaco = n / gridDim.x + (n % gridDim.x != 0 ? 1 : 0);
    const long long ini = (long long)blockIdx.x * pedaco;
    long long fim = ini + pedaco;
    if (fim > n)
        fim = n;

    for (long long i = ini + t; i < fim; i += TAM_BLOCO)
        minha += (long long)a[i] * b[i];

    soma[t] = minha;
    __syncthreads();

    // reducao que funciona com qualquer tamanho
    int ativos = TAM_BLOCO;
    while (ativos > 1) {
        int metade = (ativos + 1) / 2;
        if (t < ativos / 2)
            soma[t] += soma[t + metade];
        __syncthreads();
        ativos = metade;
    }

    // complemento de dois: somar como unsigned da o mesmo resultado
    if (t == 0)
        atomicAdd(res, (unsigned long long)soma[0]);
}
