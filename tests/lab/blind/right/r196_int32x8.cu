// Trabalho 2: multiplicação de matrizes inteiras
// bloco 32 x 8, cada thread calcula 4 linhas do ladrilho de 32 x 32
#define LADO 32
#define LINHAS 8
#define POR_THREAD (LADO / LINHAS)

__global__ void multInt(const int *A, const int *B, int *C, int m, int p, int n)
{
    __shared__ int sA[LADO][LADO];
    __shared__ int sB[LADO][LADO];

    int coluna = blockIdx.x * LADO + threadIdx.x;
    int linhaBase = blockIdx.y * LADO + threadIdx.y;

    int soma[POR_THREAD];
    for (int q = 0; q < POR_THREAD; q++) soma[q] = 0;

    for (int t = 0; t < p; t += LADO) {
        for (int q = 0; q < POR_THREAD; q++) {
            int yl = threadIdx.y + q * LINHAS;
            int linha = linhaBase + q * LINHAS;
            sA[yl][threadIdx.x] = (linha < m && t + threadIdx.x < p) ? A[linha * p + t + threadIdx.x] : 0;
            sB[yl][threadIdx.x] = (t + yl < p && coluna < n) ? B[(t + yl) * n + coluna] : 0;
        }
        __syncthreads();
        for (int k = 0; k < LADO; k++) {
            int b = sB[k][threadIdx.x];
            for (int q = 0; q < POR_THREAD; q++)
                soma[q] += sA[threadIdx.y + q * LINHAS][k] * b;
        }
        __syncthreads();
    }

    if (coluna < n) {
        for (int q = 0; q < POR_THREAD; q++) {
            int linha = linhaBase + q * LINHAS;
            if (linha < m) C[linha * n + coluna] = soma[q];
        }
    }
}

int main()
{
    int m = 45, p = 70, n = 39;
    int *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(int));
    cudaMallocManaged(&B, p * n * sizeof(int));
    cudaMallocManaged(&C, m * n * sizeof(int));
    for (int i = 0; i < m * p; i++) A[i] = i % 9;
    for (int i = 0; i < p * n; i++) B[i] = i % 4;
    dim3 bloco(LADO, LINHAS);
    dim3 grade((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    multInt<<<grade, bloco>>>(A, B, C, m, p, n);
    cudaDeviceSynchronize();
    return 0;
}
