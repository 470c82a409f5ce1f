/* Gereduceerd matrixproduct met vaste afmetingen.
 * A is M x K, B is K x N; elk element van C (M/2 x N/2) is de som van een
 * vierkantje van 2x2 uit A*B.
 * Elke thread rekent 2x2 elementen van C uit, op afstand 16 van elkaar.
 */
#include <cuda_runtime.h>

#define M 1024
#define N 768
#define K 320

#define TEGEL 32   /* tegel van C */
#define DIEPTE 16  /* stap langs K */
#define ZIJDE 16   /* threads per kant */

static_assert(M % (2 * TEGEL) == 0 && N % (2 * TEGEL) == 0 && K % DIEPTE == 0,
              "afmetingen passen niet op de tegels");

__global__ void gereduceerd(const float *__restrict__ A, const float *__restrict__ B,
                            float *__restrict__ C)
{
    __shared__ float rijen[DIEPTE][TEGEL + 1];
    __shared__ float kolommen[DIEPTE][TEGEL];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int t = ty * ZIJDE + tx;
    const int i0 = blockIdx.y * TEGEL;
    const int j0 = blockIdx.x * TEGEL;

    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int k0 = 0; k0 < K; k0 += DIEPTE) {
#pragma unroll
        for (int e = t; e < DIEPTE * TEGEL; e += ZIJDE * ZIJDE) {
            /* som van twee rijen van A */
            const int ka = e % DIEPTE, r = e / DIEPTE;
            const float *a = A + 2 * (i0 + r) * K + k0 + ka;
            rijen[ka][r] = a[0] + a[K];

            /* som van twee kolommen van B */
            const int s = e % TEGEL, kb = e / TEGEL;
            const float *b = B + (k0 + kb) * N + 2 * (j0 + s);
            kolommen[kb][s] = b[0] + b[1];
        }
        __syncthreads();

#pragma unroll
        for (int q = 0; q < DIEPTE; q++) {
            const float a0 = rijen[q][ty], a1 = rijen[q][ty + ZIJDE];
            const float b0 = kolommen[q][tx], b1 = kolommen[q][tx + ZIJDE];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    float *c = C + (i0 + ty) * (N / 2) + j0 + tx;
    c[0] = c00;
    c[ZIJDE] = c01;
    c += ZIJDE * (N / 2);
    c[0] = c10;
    c[ZIJDE] = c11;
}

void start(const float *dA, const float *dB, float *dC)
{
    dim3 blok(ZIJDE, ZIJDE);
    dim3 rooster(N / 2 / TEGEL, M / 2 / TEGEL);
    gereduceerd<<<rooster, blok>>>(dA, dB, dC);
}
