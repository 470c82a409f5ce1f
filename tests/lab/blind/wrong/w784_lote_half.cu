// Produto de matrizes em lote, entradas em half, acumulação em float:
//    C[b] = alfa * A[b] * B[b] + beta * C[b]      b = 0 .. lotes-1
// A[b]: m x k, B[b]: k x n, C[b]: m x n, guardadas uma após a outra.
// O bloco trata os lotes blockIdx.z, blockIdx.z + gridDim.z, ...
#include <cuda_fp16.h>

#define LADO 16

__global__ void produtoLote(const __half *A, const __half *B, float *C,
                            int m, int n, int k, int lotes,
                            float alfa, float beta)
{
    __shared__ __half sA[LADO][LADO];
    __shared__ __half sB[LADO][LADO + 2];

    const int lin = blockIdx.y * LADO + threadIdx.y;
    const int col = blockIdx.x * LADO + threadIdx.x;
    const __half zero = __float2half(0.0f);
    float soma = 0.0f;
    for (int b = blockIdx.z; b < lotes; b += gridDim.z) {
        const __half *Ab = A + (size_t)b * m * k;
        const __half *Bb = B + (size_t)b * k * n;
        float *Cb = C + (size_t)b * m * n;

        for (int t = 0; t < k; t += LADO) {
            int ka = t + threadIdx.x;
            int kb = t + threadIdx.y;
            sA[threadIdx.y][threadIdx.x] = (lin < m && ka < k) ? Ab[(size_t)lin * k + ka] : zero;
            sB[threadIdx.y][threadIdx.x] = (kb < k && col < n) ? Bb[(size_t)kb * n + col] : zero;
            __syncthreads();
            for (int q = 0; q < LADO; q++)
                soma += __half2float(sA[threadIdx.y][q]) * __half2float(sB[q][threadIdx.x]);
            __syncthreads();
        }

        if (lin < m && col < n) {
            size_t pos = (size_t)lin * n + col;
            Cb[pos] = alfa * soma + beta * Cb[pos];
        }
    }
}

// Chamada:
//   dim3 bloco(LADO, LADO);
//   dim3 grade((n + LADO - 1) / LADO, (m + LADO - 1) / LADO, lotes < 8 ? lotes : 8);
//   produtoLote<<<grade, bloco>>>(A, B, C, m, n, k, lotes, alfa, beta);
