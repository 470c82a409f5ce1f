// Transposição de imagem (qualquer tipo trivial), ladrilho com coluna extra
// para evitar conflitos de banco.
//
//   entrada: altura x largura      saida: largura x altura
//
// Chamada:
//   dim3 bloco(32, 8);
//   dim3 grade((largura + 31) / 32, (altura + 31) / 32);
//   transpor<unsigned char><<<grade, bloco>>>(saida, entrada, largura, altura);

#define LADO   32
#define LINHAS 8      /* blockDim.y: cada thread trata LADO/LINHAS = 4 elementos */

template <typename T>
__global__ void transpor(T *saida, const T *entrada, int largura, int altura)
{
    __shared__ T bloco[LADO][LADO + 1];

    int x = blockIdx.x * LADO + threadIdx.x;
    int y = blockIdx.y * LADO + threadIdx.y;

    for (int d = 0; d < LADO; d += LINHAS)
        if (x < largura && y + d < altura)
            bloco[threadIdx.y + d][threadIdx.x] = entrada[(y + d) * largura + x];

    __syncthreads();

    // agora o bloco de saída: índices de bloco trocados
    x = blockIdx.y * LADO + threadIdx.x;
    y = blockIdx.x * LADO + threadIdx.y;

    for (int d = 0; d < LADO; d += LINHAS)
        if (x < altura && y + d < largura)
            saida[(y + d) * altura + x] = bloco[threadIdx.x][threadIdx.y + d];
}

template __global__ void transpor<unsigned char>(unsigned char *, const unsigned char *, int, int);
template __global__ void transpor<double>(double *, const double *, int, int);
