// C = alfa * A * B + beta * C, com matrizes float por linhas.
// A: m x k, B: k x n, C: m x n, tamanhos quaisquer.
// Cada bloco de 256 fios calcula 64 x 64 elementos; cada fio 4 x 4.
#include <cuda_runtime.h>

constexpr int BM = 64;      // linhas de C por bloco
constexpr int BN = 64;      // colunas de C por bloco
constexpr int BK = 16;      // fatia da dimensao comum
constexpr int FIOS = 256;

__global__ void __launch_bounds__(FIOS)
produto_registos(int m, int n, int k, float alfa,
                 const float *__restrict__ A, const float *__restrict__ B,
                 float beta, float *__restrict__ C)
{
    __shared__ float sA[BK][BM + 1];   // guardada transposta
    __shared__ float sB[BK][BN];

    const int fio = threadIdx.x;
    const int fl = fio / 16;           // grupo de linhas deste fio
    const int fc = fio % 16;           // coluna deste fio
    const int lin0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[4][4];
    #pragma unroll
    for (int u = 0; u < 4; u++)
        #pragma unroll
        for (int v = 0; v < 4; v++)
            acc[u][v] = 0.f;

    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e = fio; e < BM * BK; e += FIOS) {
            int i = e / BK, p = e % BK;
            float valor = 0.f;
            if (lin0 + i < m && k0 + p < k)
                valor = A[(size_t)(lin0 + i) * k + k0 + p];
            sA[p][i] = valor;
        }
        for (int e = fio; e < BK * BN; e += FIOS) {
            int p = e / BN, j = e % BN;
            float valor = 0.f;
            if (k0 + p < k && col0 + j < n)
                valor = B[(size_t)(k0 + p) * n + col0 + j];
            sB[p][j] = valor;
        }
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < BK; p++) {
            float a[4], b[4];
            #pragma unroll
            for (int u = 0; u < 4; u++) a[u] = sA[p][fl * 4 + u];
            #pragma unroll
            for (int v = 0; v < 4; v++) b[v] = sB[p][fc + 16 * v];
            #pragma unroll
            for (int u = 0; u < 4; u++)
                #pragma unroll
                for (int v = 0; v < 4; v++)
                    acc[u][v] += a[u] * b[v];
        }
        __syncthreads();
    }

    for (int u = 0; u < 4; u++) {
        int lin = lin0 + fl * 4 + u;
        if (lin >= m) break;
        for (int v = 0; v < 4; v++) {
            int col = col0 + fc + 16 * v;
            if (col >= n) continue;
            size_t pos = (size_t)lin * n + col;
            // com beta igual a zero, C pode nao estar inicializada
            if (beta == 0.f)
                C[pos] = alfa * acc[u][v];
            else
                C[pos] = alfa * acc[u][v] + beta * C[pos];
        }
    }
}

// Todos os ponteiros sao da memoria da placa.
cudaError_t multiplicar(int m, int n, int k, float alfa, const float *dA,
                        const float *dB, float beta, float *dC,
                        cudaStream_t fluxo)
{
    if (m <= 0 || n <= 0)
        return cudaSuccess;
    dim3 grelha((n + BN - 1) / BN, (m + BM - 1) / BM);
    produto_registos<<<grelha, FIOS, 0, fluxo>>>(m, n, k, alfa, dA, dB, beta, dC);
    return cudaGetLastError();
}
