#include <cuda_fp16.h>

// Կրճատված արտադրյալ half մուտքով.
// A: 2m x k, B: k x 2n (տողերով), C: m x n float.
// C(i,j) = A*B-ի (2i,2j) անկյունով 2 x 2 քառակուսու գումարը։
// m, n, k բազմապատիկ են 16-ի։ Բլոկ՝ 256 թել, ցանց՝ (n/16, m/16)։

__global__ void krchatvats(const __half *A, const __half *B, float *C, int n, int k)
{
    __shared__ __half humA[32][16];      // 32 տող A-ից
    __shared__ __half2 humB[16][16];     // 16 զույգ սյուն B-ից
    __shared__ float ga[16][17];
    __shared__ float gb[16][16];

    const int x = threadIdx.x & 15;
    const int y = threadIdx.x >> 4;
    const __half *pa = A + (size_t)blockIdx.y * 32 * k;
    const __half2 *pb = reinterpret_cast<const __half2 *>(B) + blockIdx.x * 16;

    float gumar = 0.f;
    for (int q = 0; q < k; q += 16) {
        humA[y][x]      = pa[(size_t)y * k + q + x];
        humA[y + 16][x] = pa[(size_t)(y + 16) * k + q + x];
        humB[y][x]      = pb[(size_t)(q + y) * n + x];
        __syncthreads();

        // այստեղ թելերը այլ դասավորությամբ են (x-ը տողն է)
        ga[x][y] = __half2float(humA[2 * x][y]) + __half2float(humA[2 * x + 1][y]);
        const float2 f = __half22float2(humB[x][y]);
        gb[x][y] = f.x + f.y;

        for (int t = 0; t < 16; ++t)
            gumar += ga[y][t] * gb[t][x];
        __syncthreads();
    }
    C[(size_t)(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = gumar;
}
