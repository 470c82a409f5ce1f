/* Zao lililopunguzwa (reduced product).
 * A: safu 2m x k, B: k x 2n, C: m x n - zote zimehifadhiwa mstari kwa mstari (row-major).
 * Kila uzi unakusanya vipengele vinne vya A*B (mraba wa 2x2) kisha unaandika jumla yake.
 * Uzinduzi: dim3 nyuzi(16,16); dim3 vitalu((n+15)/16, (m+15)/16);  m, n, k ni zozote >= 1
 */
#define U 16

__global__ void zao_la_mraba(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float kipandeA[2 * U][U];
    __shared__ float kipandeB[U][2 * U];

    int tx = threadIdx.x, ty = threadIdx.y;
    int mwanzoA = blockIdx.y * 2 * U;     // mstari wa kwanza wa A wa kitalu hiki
    int mwanzoB = blockIdx.x * 2 * U;     // safuwima ya kwanza ya B

    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int hatua = 0; hatua < k; hatua += U) {
        for (int h = 0; h < 2; h++) {
            int r = ty + h * U;
            int c = tx + h * U;
            if (mwanzoA + r < 2 * m && hatua + tx < k)
                kipandeA[r][tx] = A[(size_t)(mwanzoA + r) * k + hatua + tx];
            else
                kipandeA[r][tx] = 0;
            if (hatua + ty < k && mwanzoB + c < 2 * n)
                kipandeB[ty][c] = B[(size_t)(hatua + ty) * (2 * (size_t)n) + mwanzoB + c];
            else
                kipandeB[ty][c] = 0;
        }
        __syncthreads();

        for (int p = 0; p < U; p++) {
            float a0 = kipandeA[2 * ty][p], a1 = kipandeA[2 * ty + 1][p];
            float b0 = kipandeB[p][2 * tx], b1 = kipandeB[p][2 * tx + 1];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = blockIdx.y * U + ty, j = blockIdx.x * U + tx;
    if (i < m && j < n)
        C[(size_t)i * n + j] = (c00 + c01) + (c10 + c11);
}
