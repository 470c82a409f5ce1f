/* Uebung 5 - Matrixprodukt, jeder Thread rechnet vier Zeilen
 *
 * P = L * R,  L: zl x sl,  R: sl x sr,  alles zeilenweise gespeichert.
 * Block: 32 x 8 Threads, Kachel: 32 x 32 Elemente.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

constexpr int KACHEL = 32;
constexpr int HOEHE = 8;
constexpr int PRO_THREAD = KACHEL / HOEHE;

__global__ void matprod4(float *P, const float *L, const float *R, int zl, int sl, int sr)
{
    __shared__ float kl[KACHEL][KACHEL];
    __shared__ float kr[KACHEL][KACHEL];

    int spalte = blockIdx.x * KACHEL + threadIdx.x;
    int zeile0 = blockIdx.y * KACHEL + threadIdx.y;

    float acc[PRO_THREAD];
#pragma unroll
    for (int q = 0; q < PRO_THREAD; ++q)
        acc[q] = 0.f;

    int anzahl = (sl + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; ++t) {
        int sA = t * KACHEL + threadIdx.x;
#pragma unroll
        for (int q = 0; q < PRO_THREAD; ++q) {
            int lokal = threadIdx.y + q * HOEHE;
            int zA = zeile0 + q * HOEHE;
            int zB = t * KACHEL + lokal;
            if (zA < zl && sA < sl)
                kl[lokal][threadIdx.x] = L[zA * sl + sA];
            else
                kl[lokal][threadIdx.x] = 0.f;
            if (zB < sl && spalte < sr)
                kr[lokal][threadIdx.x] = R[zB * sr + spalte];
            else
                kr[lokal][threadIdx.x] = 0.f;
        }
        __syncthreads();

        for (int k = 0; k < KACHEL; ++k) {
            float r = kr[k][threadIdx.x];
#pragma unroll
            for (int q = 0; q < PRO_THREAD; ++q)
                acc[q] += kl[threadIdx.y + q * HOEHE][k] * r;
        }
        __syncthreads();
    }

#pragma unroll
    for (int q = 0; q < PRO_THREAD; ++q) {
        int z = zeile0 + q * HOEHE;
        if (z < zl && spalte < sr)
            P[z * sr + spalte] = acc[q];
    }
}

int main(int argc, char **argv)
{
    int zl = argc > 1 ? atoi(argv[1]) : 100;
    int sl = argc > 2 ? atoi(argv[2]) : 70;
    int sr = argc > 3 ? atoi(argv[3]) : 45;

    size_t bL = (size_t)zl * sl * sizeof(float);
    size_t bR = (size_t)sl * sr * sizeof(float);
    size_t bP = (size_t)zl * sr * sizeof(float);
    float *hL = (float *)malloc(bL), *hR = (float *)malloc(bR), *hP = (float *)malloc(bP);
    for (int i = 0; i < zl * sl; i++) hL[i] = (float)(i % 13) - 6.f;
    for (int i = 0; i < sl * sr; i++) hR[i] = (float)(i % 7) - 3.f;

    float *dL, *dR, *dP;
    cudaMalloc((void **)&dL, bL);
    cudaMalloc((void **)&dR, bR);
    cudaMalloc((void **)&dP, bP);
    cudaMemcpy(dL, hL, bL, cudaMemcpyHostToDevice);
    cudaMemcpy(dR, hR, bR, cudaMemcpyHostToDevice);

    dim3 block(KACHEL, HOEHE);
    dim3 gitter((sr + KACHEL - 1) / KACHEL, (zl + KACHEL - 1) / KACHEL);
    matprod4<<<gitter, block>>>(dP, dL, dR, zl, sl, sr);
    cudaDeviceSynchronize();
    cudaMemcpy(hP, dP, bP, cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < zl && ok; i++)
        for (int j = 0; j < sr; j++) {
            float s = 0.f;
            for (int k = 0; k < sl; k++) s += hL[i * sl + k] * hR[k * sr + j];
            if (fabsf(s - hP[i * sr + j]) > 1e-2f) { ok = false; break; }
        }
    puts(ok ? "Ergebnis richtig" : "Ergebnis FALSCH");

    cudaFree(dL); cudaFree(dR); cudaFree(dP);
    free(hL); free(hR); free(hP);
    return ok ? 0 : 1;
}
