// C = A^T * B con ingressi in half e accumulo in float
//
//   A  e' memorizzata K x M  (serve la trasposta: C[r][c] = sum_k A[k][r]*B[k][c])
//   B  e' memorizzata K x N
//   C  M x N, float
//
// Ogni blocco 32x8 calcola una piastrella 32x32 di C, quattro righe per thread.
// Lancio (M fino a 65535*32):
//   prodottoAtB<<<dim3((N+31)/32, (M+31)/32), dim3(32, 8)>>>(A, B, C, M, N, K);

#include <cuda_fp16.h>

#define PIASTRELLA 32
#define RIGHE 8

__global__ void prodottoAtB(const __half *__restrict__ A,
                            const __half *__restrict__ B,
                            float *__restrict__ C,
                            int M, int N, int K)
{
    __shared__ __half pa[PIASTRELLA][PIASTRELLA + 2];   // pa[k][riga di C]
    __shared__ __half pb[PIASTRELLA][PIASTRELLA + 2];   // pb[k][colonna di C]

    int base_r = blockIdx.y * PIASTRELLA;
    int base_c = blockIdx.x * PIASTRELLA;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    const __half zero = __float2half(0.0f);

    float acc[PIASTRELLA / RIGHE];
    for (int q = 0; q < PIASTRELLA / RIGHE; q++)
        acc[q] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += PIASTRELLA)
    {
        for (int d = ty; d < PIASTRELLA; d += RIGHE)
        {
            int k = k0 + d;
            pa[d][tx] = (k < K && base_r + tx < M) ? A[(size_t)k * M + base_r + tx] : zero;
            pb[d][tx] = (k < K && base_c + tx < N) ? B[(size_t)k * N + base_c + tx] : zero;
        }
        __syncthreads();

        for (int k = 0; k < PIASTRELLA; k++)
        {
            float b = __half2float(pb[k][tx]);
            for (int q = 0; q < PIASTRELLA / RIGHE; q++)
                acc[q] += __half2float(pa[k][ty + q * RIGHE]) * b;
        }
        __syncthreads();
    }

    for (int q = 0; q < PIASTRELLA / RIGHE; q++)
    {
        int r = base_r + ty + q * RIGHE;
        int c = base_c + tx;
        if (r < M && c < N)
            C[(size_t)r * N + c] = acc[q];
    }
}
