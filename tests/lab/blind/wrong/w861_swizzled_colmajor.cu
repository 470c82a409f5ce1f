#include <cuda_runtime.h>

// C = alpha*A*B + beta*C, бәрі бағандар бойынша сақталған (BLAS реті):
//   A(i,p) = A[i + p*lda],  B(p,j) = B[p + j*ldb],  C(i,j) = C[i + j*ldc]
// Блок (32, 8) ағын, тор (ceil(M/32), ceil(N/32)). M, N, K кез келген.
// beta == 0 болса, C оқылмайды.

namespace {
constexpr int QYR = 32;
constexpr int JOL = 8;
constexpr int SANY = QYR / JOL;
}

__global__ void __launch_bounds__(QYR * JOL)
kobeitu(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
        const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ float As[QYR][QYR];   // As[p][i]
    __shared__ float Bs[QYR][QYR];   // (p, j) элементі Bs[p][j ^ p] ұяшығында

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i  = blockIdx.x * QYR + tx;
    const int j0 = blockIdx.y * QYR;
    float jin[SANY] = {0.f, 0.f, 0.f, 0.f};

    for (int p0 = 0; p0 < K; p0 += QYR) {
#pragma unroll
        for (int s = 0; s < SANY; ++s) {
            const int q = ty + s * JOL;
            As[q][tx] = (i < M && p0 + q < K) ? A[i + (size_t)(p0 + q) * lda] : 0.f;
            Bs[tx][q ^ tx] = (p0 + tx < K && j0 + q < N) ? B[p0 + tx + (size_t)(j0 + q) * ldb] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < QYR; ++p) {
            const float a = As[p][tx];
            const int orn = ty ^ p;
#pragma unroll
            for (int s = 0; s < SANY; ++s)
                jin[s] = fmaf(a, Bs[p][(orn + s * JOL) & (QYR - 1)], jin[s]);
        }
        __syncthreads();
    }

    if (i >= M) return;
#pragma unroll
    for (int s = 0; s < SANY; ++s) {
        const int j = j0 + ty + s * JOL;
        if (j < N) {
            float *c = C + i + (size_t)j * ldc;
            *c = (beta == 0.f) ? alpha * jin[s] : fmaf(alpha, jin[s], beta * *c);
        }
    }
}
