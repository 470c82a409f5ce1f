// Perkalian matriks-vektor presisi setengah:  y = A x
// A (baris x kolom) disimpan per kolom (column-major, lda = baris), elemen half.
// Satu thread menghitung satu baris; potongan vektor x disimpan di shared memory.
// baris dan kolom bebas (>= 1).
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define UKURAN 128

__global__ void kaliVektor(const half *A, const half *x, float *y, int baris, int kolom)
{
    __shared__ half potongan[UKURAN];

    int i = blockIdx.x * UKURAN + threadIdx.x;
    half jumlah = __float2half(0.0f);

    for (int awal = 0; awal < kolom; awal += UKURAN) {
        int j = awal + threadIdx.x;
        potongan[threadIdx.x] = (j < kolom) ? x[j] : __float2half(0.0f);
        __syncthreads();

        if (i < baris) {
            int batas = min(UKURAN, kolom - awal);
            for (int q = 0; q < batas; q++)
                jumlah = __hfma(A[(size_t)(awal + q) * baris + i], potongan[q], jumlah);
        }
        __syncthreads();
    }

    if (i < baris)
        y[i] = __half2float(jumlah);
}

int main(int argc, char **argv)
{
    int baris = argc > 1 ? atoi(argv[1]) : 300;
    int kolom = argc > 2 ? atoi(argv[2]) : 4096;

    size_t banyak = (size_t)baris * kolom;
    half *hA = (half *)malloc(banyak * sizeof(half));
    half *hx = (half *)malloc(kolom * sizeof(half));
    float *hy = (float *)malloc(baris * sizeof(float));
    for (size_t p = 0; p < banyak; p++) hA[p] = __float2half((float)(p % 7) * 0.25f);
    for (int j = 0; j < kolom; j++)     hx[j] = __float2half((float)(j % 5) * 0.5f);

    half *dA, *dx;
    float *dy;
    cudaMalloc((void **)&dA, banyak * sizeof(half));
    cudaMalloc((void **)&dx, kolom * sizeof(half));
    cudaMalloc((void **)&dy, baris * sizeof(float));
    cudaMemcpy(dA, hA, banyak * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, hx, kolom * sizeof(half), cudaMemcpyHostToDevice);

    kaliVektor<<<(baris + UKURAN - 1) / UKURAN, UKURAN>>>(dA, dx, dy, baris, kolom);
    cudaMemcpy(hy, dy, baris * sizeof(float), cudaMemcpyDeviceToHost);

    double terburuk = 0.0;
    for (int i = 0; i < baris; i++) {
        double s = 0.0;
        for (int j = 0; j < kolom; j++)
            s += (double)__half2float(hA[(size_t)j * baris + i]) * __half2float(hx[j]);
        terburuk = fmax(terburuk, fabs(s - hy[i]) / (1.0 + fabs(s)));
    }
    printf("galat relatif terbesar: %g (%s)\n", terburuk, terburuk < 1e-3 ? "benar" : "salah");

    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(hA); free(hx); free(hy);
    return 0;
}
