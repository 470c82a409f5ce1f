// Trabalho 3 - C = A^T * B
// A é guardada como k x m (por linhas), B como k x n, C como m x n.
// Bloco de 32 x 8 threads; cada thread calcula 4 elementos de uma coluna de C.
// Funciona para quaisquer m, n, k >= 1 (com m <= 2097120).
#include <cuda_runtime.h>

#define LADO   32
#define ALTURA 8
#define POR_THREAD (LADO / ALTURA)

template <typename T>
__global__ void transpostaVezes(const T* A, const T* B, T* C, int m, int n, int k)
{
    __shared__ T pedacoA[LADO][LADO];   // [profundidade][linha de C]
    __shared__ T pedacoB[LADO][LADO];   // [profundidade][coluna de C]

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int linhaBase  = blockIdx.y * LADO;
    const int colunaBase = blockIdx.x * LADO;

    T acumulado[POR_THREAD];
    for (int r = 0; r < POR_THREAD; r++)
        acumulado[r] = T(0);

    for (int inicio = 0; inicio < k; inicio += LADO) {
        for (int r = 0; r < POR_THREAD; r++) {
            const int p = ty + r * ALTURA;
            const int prof = inicio + p;
            const bool dentro = prof < k;
            pedacoA[p][tx] = (dentro && linhaBase + tx < m)
                                 ? A[(size_t)prof * m + linhaBase + tx] : T(0);
            pedacoB[p][tx] = (dentro && colunaBase + tx < n)
                                 ? B[(size_t)prof * n + colunaBase + tx] : T(0);
        }
        __syncthreads();

        for (int p = 0; p < LADO; p++) {
            const T b = pedacoB[p][tx];
            for (int r = 0; r < POR_THREAD; r++)
                acumulado[r] += pedacoA[p][ty + r * ALTURA] * b;
        }
        __syncthreads();
    }

    const int coluna = colunaBase + tx;
    if (coluna < n) {
        for (int r = 0; r < POR_THREAD; r++) {
            const int linha = linhaBase + ty + r * ALTURA;
            if (linha < m)
                C[(size_t)linha * n + coluna] = acumulado[r];
        }
    }
}

// Ponteiros já na GPU.
template <typename T>
cudaError_t multiplicaTransposta(const T* dA, const T* dB, T* dC, int m, int n, int k)
{
    dim3 bloco(LADO, ALTURA);
    dim3 grade((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    transpostaVezes<T><<<grade, bloco>>>(dA, dB, dC, m, n, k);
    cudaError_t erro = cudaGetLastError();
    if (erro != cudaSuccess)
        return erro;
    return cudaDeviceSynchronize();
}

template cudaError_t multiplicaTransposta<float>(const float*, const float*, float*, int, int, int);
template cudaError_t multiplicaTransposta<double>(const double*, const double*, double*, int, int, int);
