// Reducirani umnozak: prvo se zbroje parovi redaka od A i parovi stupaca od B.
// U[i][j] = zbroj po p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
// Uvjet: redaka od A i stupaca od B ima paran broj; zajednicka dimenzija bilo koja.
#include <cuda_runtime.h>

const int PLOCICA = 16;

__global__ void reducirani(const float *A, const float *B, float *U,
                           int redaka, int zajednicka, int stupaca)
{
    __shared__ float pa[PLOCICA][PLOCICA];
    __shared__ float pb[PLOCICA][PLOCICA];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * PLOCICA + ty;
    const int j = blockIdx.x * PLOCICA + tx;
    const int visina = redaka / 2, sirina = stupaca / 2;

    float zbroj = 0.f;
    for (int p0 = 0; p0 < zajednicka; p0 += PLOCICA) {
        if (i < visina && p0 + tx < zajednicka) {
            const float *gore = A + (2 * i) * zajednicka + p0 + tx;
            const float *dolje = gore + zajednicka;
            pa[ty][tx] = *gore + *dolje;
        } else {
            pa[ty][tx] = 0.f;
        }

        if (j < sirina && p0 + ty < zajednicka) {
            const float *lijevo = B + (p0 + ty) * stupaca + 2 * j;
            const float *desno = lijevo + sirina;
            pb[ty][tx] = *lijevo + *desno;
        } else {
            pb[ty][tx] = 0.f;
        }
        __syncthreads();

        for (int p = 0; p < PLOCICA; ++p)
            zbroj += pa[ty][p] * pb[p][tx];
        __syncthreads();
    }

    if (i < visina && j < sirina)
        U[i * sirina + j] = zbroj;
}

void pokreni(const float *A, const float *B, float *U, int redaka, int zajednicka, int stupaca)
{
    const dim3 niti(PLOCICA, PLOCICA);
    const dim3 mreza((stupaca / 2 + PLOCICA - 1) / PLOCICA, (redaka / 2 + PLOCICA - 1) / PLOCICA);
    reducirani<<<mreza, niti>>>(A, B, U, redaka, zajednicka, stupaca);
}
