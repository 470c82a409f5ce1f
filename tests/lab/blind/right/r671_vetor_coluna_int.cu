// Trabalho 3 - y = A * x com inteiros, matriz guardada por colunas.
//
// Antes de chamar o kernel:
//   Dim d = { linhas, colunas, ld };            (ld >= linhas)
//   cudaMemcpyToSymbol(dim_c, &d, sizeof(Dim));
//   int nb = (linhas + blockDim.x - 1) / blockDim.x, qualquer blockDim.x <= 256;
//   matvet<<<nb, threads>>>(A, x, y);

#define PEDACO 256

struct Dim { int linhas, colunas, ld; };
__constant__ Dim dim_c;

__global__ void matvet(const int *A, const int *x, long long *y)
{
    __shared__ int xs[PEDACO];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long total = 0;

    for (int inicio = 0; inicio < dim_c.colunas; inicio += PEDACO) {
        int quantos = dim_c.colunas - inicio;
        if (quantos > PEDACO) quantos = PEDACO;

        // todas as threads ajudam a trazer o pedaço de x
        for (int p = threadIdx.x; p < quantos; p += blockDim.x)
            xs[p] = x[inicio + p];
        __syncthreads();

        if (i < dim_c.linhas) {
            for (int p = 0; p < quantos; p++)
                total += (long long)A[i + (long long)(inicio + p) * dim_c.ld] * xs[p];
        }
        __syncthreads();   // ninguém pode trocar xs antes disso
    }

    if (i < dim_c.linhas)
        y[i] = total;
}
