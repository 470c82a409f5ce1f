#include <cuda_runtime.h>

// GEMM em lotes com stride:  C_b = alpha * op(A_b) * op(B_b) + beta * C_b
// Tudo por linhas (row-major). op(X) = X ou X^T conforme os parâmetros do template.
//   TA == false: A_b é M x K (lda >= K);   TA == true: A_b é K x M (lda >= M)
//   TB == false: B_b é K x N (ldb >= N);   TB == true: B_b é N x K (ldb >= K)
//
// Configuração: 64 threads (1D) por bloco; cada bloco calcula um ladrilho 16 x 16,
// cada thread 4 elementos da mesma coluna.
//   grid = (ceil(N/16), ceil(M/16), min(lotes, 65535))

template <bool TA, bool TB>
__global__ void __launch_bounds__(64)
gemmLotes(int M, int N, int K, float alpha,
          const float* __restrict__ A, int lda, long long strideA,
          const float* __restrict__ B, int ldb, long long strideB,
          float beta, float* __restrict__ C, int ldc, long long strideC, int lotes)
{
    constexpr int L = 16;
    __shared__ float a[L][L + 1];   // a[linha][k]
    __shared__ float b[L][L + 1];   // b[k][coluna]

    const int tx = threadIdx.x % L;
    const int ty = threadIdx.x / L;     // 0..3
    const int i0 = blockIdx.y * L;
    const int j0 = blockIdx.x * L;

    for (int lote = blockIdx.z; lote < lotes; lote += gridDim.z) {
        const float* Ab = A + lote * strideA;
        const float* Bb = B + lote * strideB;
        float* Cb = C + lote * strideC;
        float acc[4] = {0.f, 0.f, 0.f, 0.f};

        for (int k0 = 0; k0 < K; k0 += L) {
            #pragma unroll
            for (int q = 0; q < 4; ++q) {
                const int y = ty + 4 * q;
                if (TA) {   // percorre M com tx para o acesso ser coalescido
                    const int k = k0 + y, i = i0 + tx;
                    a[tx][y] = (k < K && i < M) ? Ab[(size_t)k * lda + i] : 0.f;
                } else {
                    const int i = i0 + y, k = k0 + tx;
                    a[y][tx] = (k < K && i < M) ? Ab[(size_t)i * lda + k] : 0.f;
                }
                if (TB) {
                    const int j = j0 + y, k = k0 + tx;
                    b[tx][y] = (k < K && j < N) ? Bb[(size_t)j * ldb + k] : 0.f;
                } else {
                    const int k = k0 + y, j = j0 + tx;
                    b[y][tx] = (k < K && j < N) ? Bb[(size_t)k * ldb + j] : 0.f;
                }
            }
            __syncthreads();
            #pragma unroll
            for (int k = 0; k < L; ++k) {
                const float bv = b[k][tx];
                #pragma unroll
                for (int q = 0; q < 4; ++q)
                    acc[q] = fmaf(a[ty + 4 * q][k], bv, acc[q]);
            }
            __syncthreads();
        }

        const int j = j0 + tx;
        #pragma unroll
        for (int q = 0; q < 4; ++q) {
            const int i = i0 + ty + 4 * q;
            if (i < M && j < N) {
                float* c = Cb + (size_t)i * ldc + j;
                // com beta == 0 não se lê C (pode ter NaN)
                *c = (beta == 0.f) ? alpha * acc[q] : alpha * acc[q] + beta * *c;
            }
        }
    }
}

template __global__ void gemmLotes<false, false>(int, int, int, float, const float*, int, long long, const float*, int, long long, float, float*, int, long long, int);
template __global__ void gemmLotes<true, false>(int, int, int, float, const float*, int, long long, const float*, int, long long, float, float*, int, long long, int);
template __global__ void gemmLotes<false, true>(int, int, int, float, const float*, int, long long, const float*, int, long long, float, float*, int, long long, int);
template __global__ void gemmLotes<true, true>(int, int, int, float, const float*, int, long long, const float*, int, long long, float, float*, int, long long, int);
