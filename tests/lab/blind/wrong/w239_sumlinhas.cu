// Soma de cada linha de uma matriz (linhas x colunas)
// bloco (32, 8): threadIdx.y escolhe a linha; grade: ceil(linhas / 8)
#define LIN 8
#define COL 32

__global__ void somaLinhas(const float *matriz, float *soma, int linhas, int colunas)
{
    __shared__ float total[LIN];

    const int linha = blockIdx.x * LIN + threadIdx.y;
    if (threadIdx.x == 0)
        total[threadIdx.y] = 0.0f;
    __syncthreads();

    float parcial = 0.0f;
    if (linha < linhas) {
        for (int c = threadIdx.x; c < colunas; c += COL)
            parcial += matriz[linha * colunas + c];
    }
    total[threadIdx.y] += parcial;
    __syncthreads();

    if (threadIdx.x == 0 && linha < linhas)
        soma[linha] = total[threadIdx.y];
}
