#include <cstdio>
#include <cuda_runtime.h>

#define TM 8
#define TN 32
#define TK 16
#define DIVUP(a, b) (((a) + (b) - 1) / (b))

// Reduced product, C is (m/2) x (n/2). Tiles hold the pair sums.
__global__ void reduced_rect(const double* A, const double* B, double* C, int m, int n, int k)
{
    __shared__ double sa[TM][TK];
    __shared__ double sb[TK][TN];
    const int h = m / 2, w = n / 2;
    const int tid = threadIdx.y * TN + threadIdx.x;
    const int i0 = blockIdx.y * TM, j0 = blockIdx.x * TN;
    double acc = 0;

    const int tiles = k / TK;
    for (int t = 0; t < tiles; ++t) {
        for (int e = tid; e < TM * TK; e += TM * TN) {
            int i = i0 + e / TK, q = t * TK + e % TK;
            sa[e / TK][e % TK] = (i < h && q < k) ? A[2 * i * k + q] + A[(2 * i + 1) * k + q] : 0.0;
        }
        for (int e = tid; e < TK * TN; e += TM * TN) {
            int q = t * TK + e / TN, j = j0 + e % TN;
            sb[e / TN][e % TN] = (j < w && q < k) ? B[q * n + 2 * j] + B[q * n + 2 * j + 1] : 0.0;
        }
        __syncthreads();
        for (int q = 0; q < TK; ++q) acc += sa[threadIdx.y][q] * sb[q][threadIdx.x];
        __syncthreads();
    }

    const int i = i0 + threadIdx.y, j = j0 + threadIdx.x;
    if (i < h && j < w) C[i * w + j] = acc;
}

int main()
{
    const int m = 60, n = 140, k = 75;
    double *A, *B, *C;
    cudaMallocManaged(&A, m * k * sizeof(double));
    cudaMallocManaged(&B, k * n * sizeof(double));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(double));
    for (int x = 0; x < m * k; ++x) A[x] = x % 10 + 1;
    for (int x = 0; x < k * n; ++x) B[x] = x % 8 + 1;

    reduced_rect<<<dim3(DIVUP(n / 2, TN), DIVUP(m / 2, TM)), dim3(TN, TM)>>>(A, B, C, m, n, k);
    cudaDeviceSynchronize();

    int bad = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            double s = 0;
            for (int q = 0; q < k; ++q)
                s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) *
                     (B[q * n + 2 * j] + B[q * n + 2 * j + 1]);
            if (s != C[i * (n / 2) + j]) ++bad;
        }
    printf("%d of %d wrong\n", bad, (m / 2) * (n / 2));
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return bad ? 1 : 0;
}
