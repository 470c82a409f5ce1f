// Produto reduzido com inteiros, bloco 1D e memória compartilhada dinâmica.
//
//   A: p x q,  B: q x r,  C: (p/2) x (r/2)   (p e r pares, p, q, r até 16000)
//   valores de A e B entre -50 e 50
//
// T é o lado do ladrilho (8, 16 ou 32). Lançamento:
//   int nl = (p/2 + T-1) / T, nc = (r/2 + T-1) / T;
//   produtoReduzido<<<nl * nc, T * T, 2 * T * T * sizeof(int)>>>(A, B, C, p, q, r, T);

__global__ void produtoReduzido(const int *A, const int *B, int *C,
                                int p, int q, int r, int T)
{
    extern __shared__ int mem[];
    int *pa = mem;            // T*T somas de linhas
    int *pb = mem + T * T;    // T*T somas de colunas

    int linhas  = p / 2;
    int colunas = r / 2;
    int nc = (colunas + T - 1) / T;

    int ly = threadIdx.x / T;
    int lx = threadIdx.x % T;
    int i = (blockIdx.x / nc) * T + ly;
    int j = (blockIdx.x % nc) * T + lx;

    int s = 0;
    for (int k0 = 0; k0 < q; k0 += T) {
        int ka = k0 + lx, kb = k0 + ly;

        if (i < linhas && ka < q)
            pa[ly * T + lx] = A[(2 * i) * q + ka] + A[(2 * i + 1) * q + ka];
        else
            pa[ly * T + lx] = 0;

        if (kb < q && j < colunas)
            pb[ly * T + lx] = B[kb * r + 2 * j] + B[kb * r + 2 * j + 1];
        else
            pb[ly * T + lx] = 0;
        __syncthreads();

        for (int k = 0; k < T; k++)
            s += pa[ly * T + k] * pb[k * T + lx];
        __syncthreads();
    }

    if (i < linhas && j < colunas)
        C[i * colunas + j] = s;
}
