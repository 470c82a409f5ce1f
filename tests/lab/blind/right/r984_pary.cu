// Iloczyn zredukowany na liczbach half; suma w float.
// A: 2m x k, B: k x 2n, C: m x n (float), wierszami.
// Wskaznik B musi byc wyrownany do 4 bajtow (cudaMalloc to daje).
#include <cuda_fp16.h>

#define WIERSZE 8
#define KOLUMNY 16
#define GLEB    16

__global__ void zredukowany(const __half *A, const __half *B, float *C,
                            int m, int n, int k)
{
    __shared__ float sA[WIERSZE][GLEB + 1];
    __shared__ float sB[GLEB][KOLUMNY];

    const int nr = threadIdx.y * KOLUMNY + threadIdx.x;      // 0..127
    const int i = blockIdx.y * WIERSZE + threadIdx.y;
    const int j = blockIdx.x * KOLUMNY + threadIdx.x;
    const __half2 *B2 = reinterpret_cast<const __half2 *>(B); // wiersz ma n par

    float wynik = 0.f;
    for (int k0 = 0; k0 < k; k0 += GLEB) {
        // A: 8 x 16 = 128 sum, po jednej na watek
        {
            int w = nr / GLEB, g = nr % GLEB;
            int wa = 2 * (blockIdx.y * WIERSZE + w);
            float s = 0.f;
            if (wa < 2 * m && k0 + g < k)
                s = __half2float(A[wa * k + k0 + g]) + __half2float(A[(wa + 1) * k + k0 + g]);
            sA[w][g] = s;
        }
        // B: 16 x 16 = 256 sum, po dwie na watek
        for (int g = threadIdx.y; g < GLEB; g += WIERSZE) {
            float s = 0.f;
            if (k0 + g < k && j < n) {
                float2 para = __half22float2(B2[(k0 + g) * n + j]);
                s = para.x + para.y;
            }
            sB[g][threadIdx.x] = s;
        }
        __syncthreads();

        for (int g = 0; g < GLEB; ++g)
            wynik += sA[threadIdx.y][g] * sB[g][threadIdx.x];
        __syncthreads();
    }

    if (i < m && j < n) C[i * n + j] = wynik;
}

void uruchom(const __half *A, const __half *B, float *C, int m, int n, int k)
{
    dim3 watki(KOLUMNY, WIERSZE);
    dim3 bloki((n + KOLUMNY - 1) / KOLUMNY, (m + WIERSZE - 1) / WIERSZE);
    zredukowany<<<bloki, watki>>>(A, B, C, m, n, k);
}
