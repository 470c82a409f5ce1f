// Perkalian matriks half, tiap thread menghitung 2x2 elemen
// C (M x N, float) = A (M x K) * B (K x N); ukuran bebas; lda/ldb/ldc = jarak antar baris
// Peluncuran: block (16,16), grid (ceil(N/32), ceil(M/32))
#include <cuda_fp16.h>

enum { UBIN_M = 32, UBIN_N = 32, UBIN_K = 16, SISI = 16 };

template <int R, int C>
__device__ void muatUbin(__half (&ubin)[R][C], const __half *sumber,
                         int baris, int kolom, int ld, int r0, int c0)
{
    for (int e = threadIdx.y * SISI + threadIdx.x; e < R * C; e += SISI * SISI) {
        int r = e / C;
        int c = e % C;
        if (r0 + r < baris && c0 + c < kolom)
            ubin[r][c] = sumber[(size_t)(r0 + r) * ld + c0 + c];
    }
}

__global__ void kaliHalf(const __half *A, int lda, const __half *B, int ldb,
                         float *C, int ldc, int M, int N, int K)
{
    __shared__ __half ubinA[UBIN_M][UBIN_K];
    __shared__ __half ubinB[UBIN_K][UBIN_N];

    const int r0 = blockIdx.y * UBIN_M;
    const int c0 = blockIdx.x * UBIN_N;
    float h00 = 0.f, h01 = 0.f, h10 = 0.f, h11 = 0.f;

    for (int k0 = 0; k0 < K; k0 += UBIN_K) {
        muatUbin(ubinA, A, M, K, lda, r0, k0);
        muatUbin(ubinB, B, K, N, ldb, k0, c0);
        __syncthreads();
        for (int k = 0; k < UBIN_K; ++k) {
            float a0 = __half2float(ubinA[threadIdx.y][k]);
            float a1 = __half2float(ubinA[threadIdx.y + SISI][k]);
            float b0 = __half2float(ubinB[k][threadIdx.x]);
            float b1 = __half2float(ubinB[k][threadIdx.x + SISI]);
            h00 += a0 * b0;
            h01 += a0 * b1;
            h10 += a1 * b0;
            h11 += a1 * b1;
        }
        __syncthreads();
    }

    const int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    if (r < M && c < N)               C[(size_t)r * ldc + c] = h00;
    if (r < M && c + SISI < N)        C[(size_t)r * ldc + c + SISI] = h01;
    if (r + SISI < M && c < N)        C[(size_t)(r + SISI) * ldc + c] = h10;
    if (r + SISI < M && c + SISI < N) C[(size_t)(r + SISI) * ldc + c + SISI] = h11;
}
