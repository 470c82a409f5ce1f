// Matriisitulo C = A * B ulkotuloina.
//   A: M x K, tallennettu sarakkeittain, lda >= M
//   B: K x N, tallennettu riveittäin,    ldb >= N
//   C: M x N, tallennettu riveittäin,    ldc >= N
// Lohkossa 8 x 8 säiettä, lohko laskee 32 x 32 -ruudun.
// Hila: ((N + 31) / 32, (M + 31) / 32). Koot M, N, K > 0 vapaita, reunat nollataan jaetussa muistissa.
#include <cuda_runtime.h>

constexpr int RUUTU = 32, SYVYYS = 8, SIVU = 8, OMA = RUUTU / SIVU;

__global__ void __launch_bounds__(SIVU * SIVU)
ulkotulo(int M, int N, int K,
         const float* __restrict__ A, int lda,
         const float* __restrict__ B, int ldb,
         float* __restrict__ C, int ldc)
{
    __shared__ float sa[SYVYYS][RUUTU];
    __shared__ float sb[SYVYYS][RUUTU];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int saie = ty * SIVU + tx;
    const int rivi0 = blockIdx.y * RUUTU, sar0 = blockIdx.x * RUUTU;

    float summa[OMA][OMA] = {};

    for (int p0 = 0; p0 < K; p0 += SYVYYS) {
        for (int i = saie; i < SYVYYS * RUUTU; i += SIVU * SIVU) {
            const int p = i / RUUTU, s = i % RUUTU;
            const bool sisalla = p0 + p < K;
            sa[p][s] = (sisalla && rivi0 + s < M) ? A[(size_t)(p0 + p) * lda + rivi0 + s] : 0.0f;
            sb[p][s] = (sisalla && sar0 + s < N) ? B[(size_t)(p0 + p) * ldb + sar0 + s] : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (int p = 0; p < SYVYYS; ++p) {
            float a[OMA], b[OMA];
#pragma unroll
            for (int i = 0; i < OMA; ++i) {
                a[i] = sa[p][ty + i * SIVU];   // rivit hajautettu 8 välein
                b[i] = sb[p][tx + i * SIVU];
            }
#pragma unroll
            for (int i = 0; i < OMA; ++i)
#pragma unroll
                for (int j = 0; j < OMA; ++j)
                    summa[i][j] = fmaf(a[i], b[j], summa[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < OMA; ++i) {
        const int r = rivi0 + ty + i * SIVU;
        if (r >= M) break;
        for (int j = 0; j < OMA; ++j) {
            const int c = sar0 + tx + j * SIVU;
            if (c < N) C[(size_t)r * ldc + c] = summa[i][j];
        }
    }
}

void laske_tulo(int M, int N, int K, const float* A, int lda, const float* B, int ldb,
                float* C, int ldc, cudaStream_t virta)
{
    dim3 hila((N + RUUTU - 1) / RUUTU, (M + RUUTU - 1) / RUUTU);
    ulkotulo<<<hila, dim3(SIVU, SIVU), 0, virta>>>(M, N, K, A, lda, B, ldb, C, ldc);
}
