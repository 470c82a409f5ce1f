// Trabalho prático 2 - produto de um lote de matrizes (batched)
// Para cada l em [0, lotes): C_l = A_l * B_l, com A_l de m x k, B_l de k x n
// O lado do ladrilho é decidido em tempo de execução (memória partilhada dinâmica).
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

extern __shared__ float ladrilhos[];

__global__ void produtoLote(const float *A, const float *B, float *C,
                            int m, int n, int k, int lotes)
{
    const int L = blockDim.x;            // bloco quadrado L x L
    float *sA = ladrilhos;
    float *sB = ladrilhos + L * L;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int linha  = blockIdx.y * L + ty;
    const int coluna = blockIdx.x * L + tx;

    for (int l = blockIdx.z; l < lotes; l += gridDim.z) {
        const float *a = A + (size_t)l * m * k;
        const float *b = B + (size_t)l * k * n;
        float *c = C + (size_t)l * m * n;

        float acc = 0.0f;
        for (int p = 0; p < k; p += L) {
            float va = 0.0f, vb = 0.0f;
            if (linha < m && p + tx < k)
                va = a[linha * k + p + tx];
            if (p + ty < k && coluna < n)
                vb = b[(p + ty) * n + coluna];
            sA[ty * L + tx] = va;
            sB[ty * L + tx] = vb;
            __syncthreads();
            for (int q = 0; q < L; ++q)
                acc += sA[ty * L + q] * sB[q * L + tx];
            __syncthreads();
        }
        if (linha < m && coluna < n)
            c[linha * n + coluna] = acc;
    }
}

// dA, dB, dC já estão na GPU; lado = 8, 16 ou 32; lotes >= 1
void executaLote(const float *dA, const float *dB, float *dC,
                 int m, int n, int k, int lotes, int lado)
{
    if (lado != 8 && lado != 16 && lado != 32)
        throw std::invalid_argument("lado tem de ser 8, 16 ou 32");

    dim3 bloco(lado, lado);
    dim3 grelha((n + lado - 1) / lado, (m + lado - 1) / lado, std::min(lotes, 65535));
    size_t bytes = 2 * (size_t)lado * lado * sizeof(float);
    produtoLote<<<grelha, bloco, bytes>>>(dA, dB, dC, m, n, k, lotes);

    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(e));
}
