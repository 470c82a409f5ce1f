/* Opdracht 2b - matrixvermenigvuldiging met een blok van 64 x 4 threads
 *
 * Een blok rekent 16 rijen x 64 kolommen van C uit, elke thread 4 rijen onder elkaar.
 * Aanroep:  matmul64x4<<<dim3((N+63)/64, (M+15)/16), dim3(64,4)>>>(A, B, C, M, N, K);
 * M, N, K mogen alles zijn.
 */
#include <cuda_runtime.h>

constexpr int kRijen = 16;
constexpr int kKolommen = 64;
constexpr int kDiepte = 16;

__global__ void matmul64x4(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a_s[kRijen][kDiepte];
    __shared__ float b_s[kDiepte][kKolommen];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int nr = ty * 64 + tx;            // 0..255
    const int a_r = nr / kDiepte;           // elke thread haalt precies 1 element van A
    const int a_k = nr % kDiepte;

    const int rij0 = blockIdx.y * kRijen;
    const int kol = blockIdx.x * kKolommen + tx;

    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;

    for (int k0 = 0; k0 < K; k0 += kDiepte) {
        if (rij0 + a_r < M && k0 + a_k < K)
            a_s[a_r][a_k] = A[(rij0 + a_r) * K + (k0 + a_k)];
        else
            a_s[a_r][a_k] = 0;

        // B: 16 rijen, vier tegelijk
        for (int d = ty; d < kDiepte; d += 4)
            b_s[d][tx] = (k0 + d < K && kol < N) ? B[(k0 + d) * N + kol] : 0;
        __syncthreads();

        for (int d = 0; d < kDiepte; d++) {
            float b = b_s[d][tx];
            c0 += a_s[4 * ty + 0][d] * b;
            c1 += a_s[4 * ty + 1][d] * b;
            c2 += a_s[4 * ty + 2][d] * b;
            c3 += a_s[4 * ty + 3][d] * b;
        }
        __syncthreads();
    }

    if (kol >= N) return;
    int rij = rij0 + 4 * ty;
    if (rij + 0 < M) C[(rij + 0) * N + kol] = c0;
    if (rij + 1 < M) C[(rij + 1) * N + kol] = c1;
    if (rij + 2 < M) C[(rij + 2) * N + kol] = c2;
    if (rij + 3 < M) C[(rij + 3) * N + kol] = c3;
}
