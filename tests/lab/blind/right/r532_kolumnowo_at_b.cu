// Mnożenie C = A^T * B, wszystkie macierze KOLUMNOWO (jak w BLAS)
//   A: K x M (lda >= K),  B: K x N (ldb >= K),  C: M x N (ldc >= M)
#include <cuda_runtime.h>
#include <cstdio>

constexpr int W = 16; // blok W x W wątków

template <typename Real, int BM, int BN, int BK>
__global__ void mnozAtB(int M, int N, int K, const Real *A, int lda, const Real *B, int ldb,
                        Real *C, int ldc)
{
    constexpr int RM = BM / W;
    constexpr int RN = BN / W;
    static_assert(BM % W == 0 && BN % W == 0, "kafelek musi byc wielokrotnoscia W");

    __shared__ Real sa[BK][BM + 1];
    __shared__ Real sb[BK][BN + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * W + tx;
    const int m0 = blockIdx.x * BM; // wiersze C wzdłuż osi x, bo są ciągłe w pamięci
    const int n0 = blockIdx.y * BN;

    Real suma[RM][RN];
    for (int i = 0; i < RM; ++i)
        for (int j = 0; j < RN; ++j)
            suma[i][j] = Real(0);

    for (int k0 = 0; k0 < K; k0 += BK) {
        // w A i B ciągłe jest k, więc k zmienia się najszybciej
        for (int e = tid; e < BK * BM; e += W * W) {
            int k = e % BK, m = e / BK;
            sa[k][m] = (k0 + k < K && m0 + m < M) ? A[(k0 + k) + (size_t)(m0 + m) * lda] : Real(0);
        }
        for (int e = tid; e < BK * BN; e += W * W) {
            int k = e % BK, n = e / BK;
            sb[k][n] = (k0 + k < K && n0 + n < N) ? B[(k0 + k) + (size_t)(n0 + n) * ldb] : Real(0);
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            Real ra[RM], rb[RN];
            for (int i = 0; i < RM; ++i) ra[i] = sa[k][tx + i * W];
            for (int j = 0; j < RN; ++j) rb[j] = sb[k][ty + j * W];
            for (int i = 0; i < RM; ++i)
                for (int j = 0; j < RN; ++j)
                    suma[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int j = 0; j < RN; ++j) {
        const int n = n0 + ty + j * W;
        for (int i = 0; i < RM; ++i) {
            const int m = m0 + tx + i * W;
            if (m < M && n < N)
                C[m + (size_t)n * ldc] = suma[i][j];
        }
    }
}

// zwraca 0, gdy wszystko dobrze
int policzAtB(int M, int N, int K, const double *dA, int lda, const double *dB, int ldb,
              double *dC, int ldc)
{
    if (M <= 0 || N <= 0 || K <= 0) return -1;
    if (lda < K || ldb < K || ldc < M) return -2;
    constexpr int BM = 48, BN = 32, BK = 8;
    dim3 watki(W, W);
    dim3 siatka((M + BM - 1) / BM, (N + BN - 1) / BN);
    mnozAtB<double, BM, BN, BK><<<siatka, watki>>>(M, N, K, dA, lda, dB, ldb, dC, ldc);
    cudaError_t blad = cudaGetLastError();
    if (blad != cudaSuccess) {
        std::fprintf(stderr, "blad: %s\n", cudaGetErrorString(blad));
        return -3;
    }
    return 0;
}
