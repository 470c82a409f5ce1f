#include <cuda_runtime.h>
#include <cuda_fp16.h>
// Matrixprodukt: A hat h Zeilen und t Spalten, B hat t Zeilen und b Spalten.
// Kachel 8 hoch, 32 breit. Eingabe half, Ausgabe float.

enum { KH = 8, KB = 32 };

__global__ void produkt(const half *A, const half *B, float *C, int h, int b, int t)
{
    __shared__ half a_s[KH][KB];
    __shared__ half b_s[KB][KB];
    const int zeile = blockIdx.y * KH + threadIdx.y;
    const int spalte = blockIdx.x * KB + threadIdx.x;
    const half null = __float2half(0.f);
    float summe = 0.f;

    for (int s = 0; s < t; s += KB) {
        int ka = s + threadIdx.x;
        a_s[threadIdx.y][threadIdx.x] = (zeile < h && ka < t) ? A[zeile * t + ka] : null;
        #pragma unroll
        for (int z = 0; z < KB; z += KH) {
            int kb = s + z + threadIdx.y;
            b_s[z + threadIdx.y][threadIdx.x] = (kb < t && spalte < b) ? B[kb * b + spalte] : null;
        }
        __syncthreads();
        for (int i = 0; i < KB; i++)
            summe += __half2float(a_s[threadIdx.y][i]) * __half2float(b_s[i][threadIdx.x]);
        __syncthreads();
    }
    if (zeile < h && spalte < b)
        C[zeile * b + spalte] = summe;
}

void starte(const half *A, const half *B, float *C, int h, int b, int t)
{
    dim3 faeden(KB, KH);
    dim3 gitter((b + KB - 1) / KB, (h + KB - 1) / KB);
    produkt<<<gitter, faeden>>>(A, B, C, h, b, t);
}
